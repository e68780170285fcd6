// Package stdio replaces main.go of the real package when internal/interop/run builds examples with
// go build -overlay: their last line, stdio.Main, then serves them through a server of mcp-go.
package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/mcptool-go/mcptool/integrations/mcpgo"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/runtime"
)

// Main serves srv over stdio, or if the environment variable MCPTOOL_INTEROP_HTTP is set on a free
// port of loopback. Then it prints the URL on standard output, and returns when standard input has
// ended. It accepts the options of the real Main and ignores them.
func Main(srv *runtime.Server, _ ...any) {
	if srv == nil {
		srv = &runtime.Server{}
	}
	host := server.NewMCPServer(runtime.Internal(private.Key{}).Identity(srv))
	err := mcpgo.Mount(context.Background(), host, srv)
	switch {
	case err != nil:
	case os.Getenv("MCPTOOL_INTEROP_HTTP") != "":
		err = overHTTP(host)
	default:
		err = server.ServeStdio(host)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err) //nolint:forbidigo // as in the real one
		os.Exit(1)                   //nolint:forbidigo // as in the real one
	}
}

// overHTTP serves all revisions at one path.
func overHTTP(host *server.MCPServer) error {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	web := &http.Server{Handler: server.NewStreamableHTTPServer(host), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = web.Close()
	}()
	if _, err := fmt.Fprintf(os.Stdout, "http://%s\n", l.Addr()); err != nil { //nolint:forbidigo // stdout is not the protocol here
		return err
	}
	if err := web.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
