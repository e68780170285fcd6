package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// passing is middleware without effect.
func passing(next mcptool.Handler) mcptool.Handler { return next }

// changing is middleware that changes the result.
func changing(change func(*mcptool.Result)) mcptool.Middleware {
	return func(next mcptool.Handler) mcptool.Handler {
		return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
			res, err := next(ctx, args)
			if err != nil {
				return nil, err
			}
			changed := *res
			change(&changed)
			return &changed, nil
		}
	}
}

type doubleIn struct {
	N int `json:"n" jsonschema:"maximum=100"`
}

type doubleOut struct {
	N int `json:"n"`
}

func double(_ context.Context, in doubleIn) (doubleOut, error) { return doubleOut{2 * in.N}, nil }

func TestUseOrder(t *testing.T) {
	t.Parallel()
	var order strings.Builder
	noted := func(name string) mcptool.Middleware {
		return func(next mcptool.Handler) mcptool.Handler {
			order.WriteString("made " + name + "; ")
			return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
				order.WriteString(name + " of " + mcptool.Caller(ctx).Tool + "; ")
				defer order.WriteString("/" + name + "; ")
				return next(ctx, args)
			}
		}
	}
	tool := internals.Wrap(mustNew(t, double, mcptool.Use(noted("a"), noted("b")), mcptool.Use(noted("c"))), noted("server"))
	order.WriteString("| ")
	for range 2 {
		res, err := tool.Call(t.Context(), []byte(`{"n":3}`))
		if err != nil || string(res.Structured.(json.RawMessage)) != `{"n":6}` {
			t.Fatalf("%+v, %v", res, err)
		}
	}
	call := "server of double; a of double; b of double; c of double; /c; /b; /a; /server; "
	if want := "made c; made b; made a; made server; | " + call + call; order.String() != want {
		t.Errorf("got  %s\nwant %s", order.String(), want)
	}
}

// TestMiddlewareResult: the result of middleware is checked like the result of a func.
func TestMiddlewareResult(t *testing.T) {
	t.Parallel()
	secret := errors.New("secret")
	for _, test := range []struct {
		name   string
		mw     mcptool.Middleware
		args   string
		want   string // structured content, then texts
		err    string
		reason string
	}{
		{"passes", passing, `{"n":3}`, `{"n":6}`, "", "no change"},
		{"structured", changing(func(r *mcptool.Result) { r.Structured = doubleOut{7} }), `{"n":3}`, `{"n":7}`, "", "any value that can be encoded"},
		{"breaks the schema", changing(func(r *mcptool.Result) { r.Structured = json.RawMessage(`{"n":"seven"}`) }), `{"n":3}`, "", "double: the middleware of the option Use returned a result that cannot be sent: n: must be an integer, got the string \"seven\"; return the Result of next, or a copy with changes that fit", "reported like an invalid result of a func"},
		{"changed in place", changing(func(r *mcptool.Result) { r.Structured.(json.RawMessage)[len(`{"n":`)] = 'x' }), `{"n":3}`, "", "the middleware of the option Use returned a result that cannot be sent: n:", "a result changed in place is validated again"},
		{"changed in place, fits", changing(func(r *mcptool.Result) { r.Structured.(json.RawMessage)[len(`{"n":`)] = '7' }), `{"n":3}`, `{"n":7}`, "", "a result changed in place is validated again"},
		{"passed on with content", changing(func(r *mcptool.Result) { r.Meta = map[string]any{"example.com/a": make(chan int)} }), `{"n":3}`, "", "the middleware of the option Use returned a result that cannot be sent: _meta", "the rest is checked"},
		{"of another tool", func(mcptool.Handler) mcptool.Handler {
			return func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
				return mustNew(t, func(context.Context, struct{}) (map[string]string, error) { return map[string]string{"n": "6"}, nil }, mcptool.Name("other"), mcptool.Use(passing)).Call(ctx, nil)
			}
		}, `{"n":3}`, "", "the middleware of the option Use returned a result that cannot be sent: n:", "it is checked for this one"},
		{"the first of two", func(next mcptool.Handler) mcptool.Handler {
			return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
				res, err := next(ctx, args)
				if _, other := next(ctx, json.RawMessage(`{"n":4}`)); other != nil {
					return nil, other
				}
				return res, err
			}
		}, `{"n":3}`, `{"n":6}`, "", "it need not be the last"},
		{"no structured", changing(func(r *mcptool.Result) { r.Structured = nil }), `{"n":3}`, "", "double: the middleware of the option Use returned a result that cannot be sent: it has no Structured, although the tool has an output schema; set Structured, or IsError if the tool failed; return the Result of next, or a copy with changes that fit", "the schema requires one"},
		{"sets IsError", changing(func(r *mcptool.Result) { r.Structured, r.IsError = nil, true }), `{"n":3}`, "error", "", "an error result needs no structured content"},
		{"content", changing(func(r *mcptool.Result) { r.Content = []mcptool.Content{mcptool.Text{Text: "seen"}} }), `{"n":3}`, `{"n":6} seen`, "", "content is kept"},
		{"bad content", changing(func(r *mcptool.Result) { r.Content = []mcptool.Content{mcptool.Image{}} }), `{"n":3}`, "", "the middleware of the option Use returned a result that cannot be sent: content[0].data", "blocks are checked"},
		{"other arguments", func(next mcptool.Handler) mcptool.Handler {
			return func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
				return next(ctx, json.RawMessage(`{"n":50}`))
			}
		}, `{"n":3}`, `{"n":100}`, "", "what next is given counts"},
		{"invalid arguments", func(next mcptool.Handler) mcptool.Handler {
			return func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
				return next(ctx, json.RawMessage(`{"n":500}`))
			}
		}, `{"n":3}`, "", "invalid arguments", "and are checked"},
		{"not called", func(mcptool.Handler) mcptool.Handler {
			return func(context.Context, json.RawMessage) (*mcptool.Result, error) {
				return &mcptool.Result{Structured: doubleOut{1}}, nil
			}
		}, `{"n":"no number"}`, `{"n":1}`, "", "arguments are checked by next"},
		{"sees typed errors", func(next mcptool.Handler) mcptool.Handler {
			return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
				_, err := next(ctx, args)
				if _, ok := errors.AsType[*mcptool.ArgumentError](err); !ok {
					return nil, errors.New("not an ArgumentError")
				}
				return nil, secret
			}
		}, `{"n":500}`, "", "secret", "errors.As works"},
		{"nil result", func(mcptool.Handler) mcptool.Handler {
			return func(context.Context, json.RawMessage) (*mcptool.Result, error) { return nil, nil }
		}, `{"n":3}`, "", "no result was returned (nil without an error), although the tool has an output schema", "a nil result has no Structured"},
		{"panics", func(mcptool.Handler) mcptool.Handler {
			return func(context.Context, json.RawMessage) (*mcptool.Result, error) { panic("the middleware") }
		}, `{"n":3}`, "", "panic: the middleware", "contained as that of a func"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			res, err := mustNew(t, double, mcptool.Use(test.mw)).Call(t.Context(), []byte(test.args))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("got %+v, %v; want %q: %s", res, err, test.err, test.reason)
				}
				return
			}
			if err != nil {
				t.Fatalf("%v: %s", err, test.reason)
			}
			var parts []string
			if raw, ok := res.Structured.(json.RawMessage); ok {
				parts = append(parts, string(raw))
			}
			for _, c := range res.Content {
				parts = append(parts, c.(mcptool.Text).Text)
			}
			if res.IsError {
				parts = append(parts, "error")
			}
			if got := strings.Join(parts, " "); got != test.want {
				t.Errorf("got %s, want %s: %s", got, test.want, test.reason)
			}
		})
	}
}

// TestMiddlewarePanic: middleware gets a panic of the tool as an error.
func TestMiddlewarePanic(t *testing.T) {
	t.Parallel()
	calls := 0
	flaky := func(context.Context, None) (None, error) {
		if calls++; calls == 1 {
			panic("once")
		}
		return None{}, nil
	}
	again := func(next mcptool.Handler) mcptool.Handler {
		return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
			res, err := next(ctx, args)
			if _, ok := errors.AsType[*mcptool.PanicError](err); ok {
				return next(ctx, args)
			}
			return res, err
		}
	}
	tool := mustNew(t, flaky, mcptool.Name("flaky"), mcptool.Use(again))
	if _, err := tool.Call(t.Context(), nil); err != nil || calls != 2 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

func TestUseMistakes(t *testing.T) {
	t.Parallel()
	none := func(mcptool.Handler) mcptool.Handler { return nil }
	panics := func(mcptool.Handler) mcptool.Handler { panic("no config") }
	for _, test := range []struct {
		name string
		use  []mcptool.Middleware
		want []string
	}{
		{"nil", []mcptool.Middleware{passing, nil, nil}, []string{"middleware 2 of the option Use is nil", "middleware 3 of the option Use is nil"}},
		{"no handler", []mcptool.Middleware{none}, []string{"the middleware returned no Handler"}},
		{"panics", []mcptool.Middleware{panics}, []string{"panic: no config"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tool, err := mcptool.New(double, mcptool.Use(test.use...))
			wantMistakes(t, registerError(t, tool, err), test.want...)
		})
	}
	t.Run("server middleware", func(t *testing.T) {
		t.Parallel()
		for _, mw := range []mcptool.Middleware{nil, none, panics} {
			_, err := internals.Wrap(mustNew(t, double), mw).Call(t.Context(), []byte(`{"n":3}`))
			if _, ok := errors.AsType[*mcptool.PanicError](err); !ok {
				t.Errorf("got %v, want a *PanicError: nil middleware must refuse every call", err)
			}
		}
	})
}
