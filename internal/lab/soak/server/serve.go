package server

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	goruntime "runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/stdio"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// Properties of the servers that a soak depends on.
const (
	// MaxMessage is the maximum size of a message.
	MaxMessage = 1 << 20
	// SessionIdle is how long an HTTP session is kept without a request.
	SessionIdle = 15 * time.Second
	// MethodFacts returns [Facts].
	MethodFacts = "soak/facts"

	grace = 10 * time.Second // for running calls at the end
)

// Facts is the resource usage of a server after a garbage collection.
type Facts struct {
	Goroutines int    `json:"goroutines"`
	Heap       uint64 `json:"heap"` // bytes in use
}

// Main serves as configured by the flags in args, by default over stdio, until the client disconnects or SIGTERM
// arrives.
func Main(args []string) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	overHTTP := flags.Bool("http", false, "serve HTTP on a loopback port until standard input ends, and print the address")
	poll := flags.Duration("poll", 250*time.Millisecond, "`duration` of a stream over HTTP; see streamhttp.Poll")
	lie := flags.Int("lie", 0, "return a wrong result for each `n`th call of the tool add")
	if err := flags.Parse(args); err != nil {
		return err
	}
	mcptool.RegisterService(&tools{lie: *lie})
	srv := &runtime.Server{
		Name: "soak", Version: "1.0.0", Tasks: tasks.New(nil),
		Observer: audit.New(slog.New(slog.NewJSONHandler(io.Discard, nil))), //nolint:sloglint // the records are written, but not kept
		Limits: runtime.Limits{
			MaxMessageBytes: MaxMessage, CloseGrace: grace,
			Tasks: runtime.TaskLimits{DefaultTTL: 10 * time.Second, PollInterval: 50 * time.Millisecond, Delay: 20 * time.Millisecond},
		},
		Methods: []runtime.Method{{Name: MethodFacts, Handle: facts}},
	}
	if *overHTTP {
		return serveHTTP(srv, *poll)
	}
	return stdio.Serve(context.Background(), srv, stdio.Grace(grace))
}

func facts(context.Context, json.RawMessage) (any, error) {
	debug.FreeOSMemory()
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return Facts{goruntime.NumGoroutine(), m.HeapAlloc}, nil
}

// serveHTTP serves Streamable HTTP at /mcp, and HTTP with SSE of revision 2024-11-05 at /sse.
func serveHTTP(srv *runtime.Server, poll time.Duration) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	ctx, leave := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // the soak has exited
		leave()
	}()
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(os.Stdout, "http://%s\n", l.Addr()); err != nil {
		return err
	}
	handler, err := streamhttp.NewHandler(srv, streamhttp.SessionIdle(SessionIdle), streamhttp.Poll(poll, 20*time.Millisecond))
	if err != nil {
		return err
	}
	sse, err := streamhttp.NewSSEHandler(srv)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	mux.Handle("/sse", sse)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	return errors.Join(handler.Shutdown(ending), sse.Shutdown(ending), server.Shutdown(ending))
}
