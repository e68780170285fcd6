// Package stdio replaces main.go of the real package when internal/interop/run builds examples with
// go build -overlay: their last line, stdio.Main, then serves them through a server of the official
// SDK.
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

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcptool-go/mcptool/integrations/gosdk"
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
	name, version := runtime.Internal(private.Key{}).Identity(srv)
	host := mcp.NewServer(&mcp.Implementation{Name: name, Version: version}, nil)
	err := gosdk.Mount(context.Background(), host, srv)
	switch {
	case err != nil:
	case os.Getenv("MCPTOOL_INTEROP_HTTP") != "":
		err = overHTTP(host)
	default:
		err = host.Run(context.Background(), &mcp.StdioTransport{})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err) //nolint:forbidigo // as in the real one
		os.Exit(1)                   //nolint:forbidigo // as in the real one
	}
}

// overHTTP serves both eras at one path: the SDK serves revision 2026-07-28 only without sessions,
// and can ask the clients of earlier ones only with sessions.
func overHTTP(host *mcp.Server) error {
	get := func(*http.Request) *mcp.Server { return host }
	modern := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true})
	legacy := mcp.NewStreamableHTTPHandler(get, nil)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("MCP-Protocol-Version") >= "2026-07-28" {
			modern.ServeHTTP(w, r)
		} else {
			legacy.ServeHTTP(w, r)
		}
	})
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	if _, err := fmt.Fprintf(os.Stdout, "http://%s\n", l.Addr()); err != nil { //nolint:forbidigo // stdout is not the protocol here
		return err
	}
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
