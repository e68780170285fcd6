// Command metrics counts requests by method, tool and outcome, and how long they take. It serves tools over HTTP at /mcp,
// and the counters as JSON at /debug/vars.
package main

import (
	"context"
	"expvar"
	"flag"
	"log"
	"net/http"
	"os/signal"
	"syscall"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// Metrics counts requests.
type Metrics struct {
	Requests *expvar.Map // by method, tool and outcome
	Seconds  *expvar.Map // by method and tool
}

// Begin implements [observe.Observer].
func (Metrics) Begin(ctx context.Context, _ *observe.Operation) context.Context { return ctx }

// End implements [observe.Observer].
func (m Metrics) End(_ context.Context, op *observe.Operation, result observe.Result) {
	if op.Kind == observe.KindRequest {
		m.Requests.Add(op.Method+" "+op.Target+" "+result.Outcome.String(), 1)
		m.Seconds.AddFloat(op.Method+" "+op.Target, result.Duration.Seconds())
	}
}

// SquareIn holds the arguments of square.
type SquareIn struct {
	_ struct{} `mcp:"readOnly,idempotent,openWorld=false" doc:"The square of a number"`
	X float64  `json:"x" doc:"The number"`
}

// Square returns the square of a number.
func Square(_ context.Context, in SquareIn) (float64, error) { return in.X * in.X, nil }

// newServer returns the server, which counts its requests.
func newServer(m Metrics) (*runtime.Server, error) {
	square, err := mcptool.New(Square)
	if err != nil {
		return nil, err
	}
	tools := &mcptool.Registry{}
	return &runtime.Server{Name: "metrics", Version: "1.0.0", Tools: tools, Observer: m}, tools.Add(square)
}

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "the address to listen on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	srv, err := newServer(Metrics{Requests: expvar.NewMap("requests"), Seconds: expvar.NewMap("seconds")})
	if err == nil {
		err = streamhttp.ListenAndServe(ctx, *addr, srv, streamhttp.HTTPServer(func(_ *http.Server, mux *http.ServeMux) {
			mux.Handle("/debug/vars", expvar.Handler())
		}))
	}
	if err != nil {
		log.Fatal(err)
	}
}
