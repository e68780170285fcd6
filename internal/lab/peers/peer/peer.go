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
	"runtime/pprof"
)

// A Setup configures a server.
type Setup struct {
	// HTTP selects Streamable HTTP instead of stdio.
	HTTP bool
	// Many is the number of tools to serve instead of the three in package tools.
	Many int
	// Kinds is the number of kinds of the many tools, each with its own types; up to 1000.
	Kinds int
	// Limits sets all limits of the tools, without any effect on the measurement. Only mcptool supports it.
	Limits bool
	// Audit writes a record of each call as JSON to io.Discard. Only mcptool supports it.
	Audit bool
	// Middleware wraps the tools in a middleware without effect. Only mcptool supports it.
	Middleware bool
	// Unchecked disables validation of arguments and results. Only mcpgo supports it.
	Unchecked bool
	// Kept caches the response to tools/list. Only bare supports it.
	Kept bool
}

// Main parses the command line, calls serve, and exits with its error.
func Main(serve func(Setup) error) {
	var s Setup
	flag.BoolVar(&s.HTTP, "http", false, "serve Streamable HTTP on a port of loopback, whose address is printed, until standard input ends")
	flag.IntVar(&s.Many, "many", 0, "serve this many tools instead of the three")
	flag.IntVar(&s.Kinds, "kinds", 1000, "have so many kinds of tools, each with types of its own, up to 1000")
	flag.BoolVar(&s.Kept, "kept", false, "answer tools/list from bytes that are kept (bare only)")
	flag.BoolVar(&s.Limits, "limits", false, "have all limits that there are (mcptool only)")
	flag.BoolVar(&s.Audit, "audit", false, "make a record of each call (mcptool only)")
	flag.BoolVar(&s.Middleware, "middleware", false, "have middleware around the tools (mcptool only)")
	flag.BoolVar(&s.Unchecked, "unchecked", false, "do not check arguments and results (mcpgo only)")
	profile := flag.String("cpuprofile", "", "write a CPU profile to this file")
	flag.Parse()
	if err := profiled(*profile, func() error { return serve(s) }); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// profiled runs fn and writes a CPU profile to file, unless that is empty.
func profiled(file string, fn func() error) (err error) {
	if file == "" {
		return fn()
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if err := pprof.StartCPUProfile(out); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return fn()
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
