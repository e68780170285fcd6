// Package peer has the common code of the measured servers: their flags, HTTP service, and shutdown.
package peer

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
)

// A Setup configures a server.
type Setup struct {
	// HTTP selects Streamable HTTP instead of stdio.
	HTTP bool
	// Limits sets all limits of the tools, high enough that no measurement reaches them. Only mcptool supports it.
	Limits bool
	// Audit writes a record of each call as JSON to io.Discard. Only mcptool supports it.
	Audit bool
}

// Main parses the command line, calls serve, and exits with its error.
func Main(serve func(Setup) error) {
	var s Setup
	flag.BoolVar(&s.HTTP, "http", false, "serve Streamable HTTP on a loopback port until standard input ends, and print the URL")
	flag.BoolVar(&s.Limits, "limits", false, "set all limits of the tools (mcptool only)")
	flag.BoolVar(&s.Audit, "audit", false, "write an audit record of each call (mcptool only)")
	flag.Parse()
	if err := serve(s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// ServeHTTP serves handler at /mcp on a free port of loopback until standard input ends, so that the server does not
// outlive the measuring process. It prints its address.
func ServeHTTP(handler http.Handler) error {
	var config net.ListenConfig
	listener, err := config.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(os.Stdout, "http://%s/mcp\n", listener.Addr()); err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	server := &http.Server{Handler: mux}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // any end of the input stops the server
		_ = server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
