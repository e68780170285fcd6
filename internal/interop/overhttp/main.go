// Package stdio replaces main.go of the real package when internal/interop/run builds the servers for HTTP: with go
// build -overlay the same programs have the same tools, but their last line, stdio.Main, serves Streamable HTTP and
// the transport that it has replaced. So they need no flag that only a test uses.
package stdio

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// The names here must differ from those of the real package.
const (
	// httpGrace is how long calls may continue after the end.
	httpGrace = 2 * time.Second
	// httpPatience is how long connections then have to close. net/http considers a new connection without data busy
	// for 5 seconds, and fetch opens some in advance.
	httpPatience = 10 * time.Second
)

// Main serves srv on a free port of loopback, at /mcp and /sse, and at /select for clients that select tools, prints the URL on standard output, and returns when
// standard input has ended: a server does not outlive the process that started it. It accepts the options of the real
// Main and ignores them.
func Main(srv *runtime.Server, _ ...any) {
	if err := overHTTP(srv); err != nil {
		fmt.Fprintln(os.Stderr, err) //nolint:forbidigo // as in the real one
		os.Exit(1)                   //nolint:forbidigo // as in the real one
	}
}

func overHTTP(srv *runtime.Server) error {
	if srv == nil {
		srv = &runtime.Server{}
	}
	handler, err := streamhttp.NewHandler(srv)
	if err != nil {
		return err
	}
	selecting, err := streamhttp.NewHandler(srv, streamhttp.SelectByRequest())
	if err != nil {
		return err
	}
	sse, err := streamhttp.NewSSEHandler(srv)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	mux.Handle("/select", selecting)
	mux.Handle("/sse", sse)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: time.Minute}
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	// Serve ends with Shutdown.
	go func() { _ = server.Serve(l) }()
	if _, err := fmt.Fprintf(os.Stdout, "http://%s\n", l.Addr()); err != nil { //nolint:forbidigo // stdout is not the protocol here
		return err
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	ending, cancel := context.WithTimeout(context.Background(), httpGrace)
	defer cancel()
	closing, cancelClosing := context.WithTimeout(context.Background(), httpGrace+httpPatience)
	defer cancelClosing()
	_, _, _ = handler.Shutdown(ending), selecting.Shutdown(ending), sse.Shutdown(ending) // of calls that were cancelled
	return server.Shutdown(closing)
}
