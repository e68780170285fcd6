// Command metrics counts calls by tool and outcome, and how long they take. It serves tools over HTTP at /mcp, and the
// counters as JSON at /debug/vars.
package main

import (
	"context"
	"expvar"
	"flag"
	"log"
	"log/slog"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// Counters is a handler for the records of runtime.Server.Audit. It counts calls in place of writing records.
type Counters struct {
	Calls   *expvar.Map // by tool and outcome
	Seconds *expvar.Map // by tool
}

// Enabled implements [slog.Handler].
func (Counters) Enabled(context.Context, slog.Level) bool { return true }

// Handle counts a call.
func (c Counters) Handle(_ context.Context, r slog.Record) error {
	var tool, outcome string
	var took time.Duration
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "tool":
			tool = a.Value.String()
		case "outcome":
			outcome = a.Value.String()
		case "duration":
			took = a.Value.Duration()
		}
		return true
	})
	if outcome == "refused" {
		tool = "" // it may be a name that the client has made up
	}
	c.Calls.Add(tool+" "+outcome, 1)
	c.Seconds.AddFloat(tool, took.Seconds())
	return nil
}

// WithAttrs implements [slog.Handler].
func (c Counters) WithAttrs([]slog.Attr) slog.Handler { return c }

// WithGroup implements [slog.Handler].
func (c Counters) WithGroup(string) slog.Handler { return c }

// SquareIn holds the arguments of square.
type SquareIn struct {
	_ struct{} `mcp:"readOnly,idempotent,openWorld=false" doc:"The square of a number"`
	X float64  `json:"x" doc:"The number"`
}

// Square returns the square of a number.
func Square(_ context.Context, in SquareIn) (float64, error) { return in.X * in.X, nil }

// newServer returns the server, which counts its calls.
func newServer(c Counters) (*runtime.Server, error) {
	square, err := mcptool.New(Square)
	if err != nil {
		return nil, err
	}
	tools := &mcptool.Registry{}
	return &runtime.Server{Name: "metrics", Version: "1.0.0", Tools: tools, Audit: slog.New(c)}, tools.Add(square)
}

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "the address to listen on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	srv, err := newServer(Counters{Calls: expvar.NewMap("calls"), Seconds: expvar.NewMap("seconds")})
	if err == nil {
		err = streamhttp.ListenAndServe(ctx, *addr, srv, streamhttp.HTTPServer(func(_ *http.Server, mux *http.ServeMux) {
			mux.Handle("/debug/vars", expvar.Handler())
		}))
	}
	if err != nil {
		log.Fatal(err)
	}
}
