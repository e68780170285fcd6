package hostile_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
)

// TestCallbacks checks that calls get a response even if any callback of an author panics, not
// only a tool.
func TestCallbacks(t *testing.T) {
	t.Parallel()
	const reference = "the tool failed with an internal error (reference "
	redact := func(string) string { panic("in Redact") }
	for _, test := range []struct {
		name          string
		set           func(srv *runtime.Server)
		served, fails verdict // expected responses to succeeding and failing calls
	}{
		{"Redact", func(srv *runtime.Server) { srv.Redact = redact }, served("(withheld)"), failed("(withheld)")},
		{"the handler of Logger", func(srv *runtime.Server) { srv.Logger = slog.New(panicking{}) }, served("took 1"), failed("failed")},
		{"the handler of the audit log", func(srv *runtime.Server) { srv.Observer = audit.New(slog.New(panicking{})) }, served("took 1"), failed("failed")},
		{"Observer", func(srv *runtime.Server) { srv.Observer = panickingObserver{} }, served("took 1"), failed("failed")},
		{"all of them", func(srv *runtime.Server) {
			srv.Redact, srv.Logger = redact, slog.New(panicking{})
			srv.Observer = observe.All(audit.New(slog.New(panicking{})), panickingObserver{})
		}, served("(withheld)"), failed("(withheld)")},
		{"middleware", func(srv *runtime.Server) {
			srv.Middleware = []mcptool.Middleware{func(mcptool.Handler) mcptool.Handler {
				return func(context.Context, json.RawMessage) (*mcptool.Result, error) { panic("in middleware") }
			}}
		}, failed(reference), failed(reference)},
		{"middleware, afterwards", func(srv *runtime.Server) {
			srv.Middleware = []mcptool.Middleware{func(next mcptool.Handler) mcptool.Handler {
				return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
					_, _ = next(ctx, args)
					return nil, crash("bad_error")
				}
			}}
		}, failed(reference), failed(reference)},
	} {
		for _, w := range ways() {
			t.Run(test.name+" over "+w.name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					srv := newServer(t, new(counter), tools(t)...)
					test.set(srv)
					c := w.open(t, w.era, srv)
					began := time.Now()
					for range 2 {
						test.served.check(t, "a call", w, c.send(w.call("1", "take", `{"text":"x"}`, "", 0, "")))
						test.fails.check(t, "a call that fails", w, c.send(w.call("1", "fails", "{}", "", 0, "")))
						for _, name := range []string{"panic", "logs", "goexit"} {
							if a := c.send(w.call("1", name, "{}", "", 0, "")); a.Result == nil || !a.Result.IsError {
								t.Errorf("a call of %s is answered with %s", name, a.said())
							}
						}
					}
					if took := time.Since(began); took > time.Second {
						t.Errorf("the calls took %v", took)
					}
					time.Sleep(time.Second)
				})
			})
		}
	}
}

// panickingObserver panics at the beginning and at the end of each operation.
type panickingObserver struct{}

func (panickingObserver) Begin(context.Context, *observe.Operation) context.Context {
	panic("in Begin")
}

func (panickingObserver) End(context.Context, *observe.Operation, observe.Result) {
	panic("in End")
}

// panicking is a slog.Handler that panics at each record.
type panicking struct{}

func (panicking) Enabled(context.Context, slog.Level) bool  { return true }
func (panicking) Handle(context.Context, slog.Record) error { panic("in Handle") }
func (h panicking) WithAttrs([]slog.Attr) slog.Handler      { return h }
func (h panicking) WithGroup(string) slog.Handler           { return h }

// TestMethods makes methods of the author's types fail in every way that tools do.
func TestMethods(t *testing.T) {
	t.Parallel()
	loop := map[string]any{}
	loop["loop"] = loop
	results := map[string]any{"writes_json": fuse{}, "writes_text": map[string]any{"x": bomb{}}, "writes_loop": loop, "no_object": 1}
	var methods []runtime.Method
	for how := range results {
		methods = append(methods, runtime.Method{Name: "x/" + how, Handle: func(context.Context, json.RawMessage) (any, error) { return results[how], nil }})
	}
	for _, how := range crashes {
		methods = append(methods, runtime.Method{Name: "x/" + how, Handle: func(context.Context, json.RawMessage) (any, error) { return nil, crash(how) }})
	}
	methods = append(methods, runtime.Method{Name: "x/reads_text", Handle: runtime.Typed(func(context.Context, bombIn) (any, error) { return nil, nil })})
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := newServer(t, new(counter), tools(t)...)
				srv.Methods = methods
				c := w.open(t, w.era, srv)
				for _, m := range methods {
					want := verdict{code: -32603, says: "the method failed with an internal error (reference "}
					if m.Name == "x/reads_text" { // the codec turns it into a decoding error
						want = verdict{code: -32602, says: "params.b does not fit the method"}
					}
					want.check(t, m.Name, w, c.send(w.request("1", m.Name, `"b":"x"`)))
					alive(t, m.Name, c, w.era)
				}
				time.Sleep(time.Second)
			})
		})
	}
}
