// Package peer is what the servers under measurement have in common: their flags, how
// they serve HTTP, and how they end.
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

// A Setup says how to serve.
type Setup struct {
	// HTTP is for Streamable HTTP instead of stdio.
	HTTP bool
	// Many is how many tools to serve instead of the three of package tools.
	Many int
	// Kinds is of how many kinds the many tools are, each with types of its own; up to 1000.
	Kinds int
	// Limits has the tools say their limits, all that there are, which no measurement reaches. Only mcptool can do it.
	Limits bool
	// Audit has a record of each call made, as JSON that goes nowhere. Only mcptool can do it.
	Audit bool
	// Middleware puts one around the tools that does nothing. Only mcptool can do it.
	Middleware bool
	// Unchecked leaves arguments and results unchecked. Only mcpgo can do it.
	Unchecked bool
	// Kept has tools/list answered from bytes that are kept. Only bare can do it.
	Kept bool
}

// Main reads the command line, serves as it says, and ends the program with the error of
// serve.
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

// profiled runs fn and writes where its time went, unless file is empty.
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

// ServeHTTP serves handler at /mcp on a free port of loopback until standard input ends,
// so that the server does not outlive whoever measures it. It prints its address.
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
		_, _ = io.Copy(io.Discard, os.Stdin) // whatever ends it ends the service
		_ = server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
