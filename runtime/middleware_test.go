package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// tallied returns middleware that counts how often it wraps a tool and how often it is called.
func tallied(made, called *atomic.Int64) mcptool.Middleware {
	return func(next mcptool.Handler) mcptool.Handler {
		made.Add(1)
		return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
			called.Add(1)
			return next(ctx, args)
		}
	}
}

// TestServerMiddleware: Server.Middleware wraps each tool once, even if other tools change. Calls that are rejected
// before the tool do not call it.
func TestServerMiddleware(t *testing.T) {
	t.Parallel()
	var made, called, own, runs atomic.Int64
	var order []string
	mark := func(name string) mcptool.Middleware {
		return func(next mcptool.Handler) mcptool.Handler {
			return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
				order = append(order, name)
				return next(ctx, args)
			}
		}
	}
	limited := mcptool.RateLimit(mcptool.Rate{Calls: 3, Per: time.Hour})
	srv := serve(t, counted(t, &runs, limited, mcptool.Use(mark("tool"), tallied(&own, &own))))
	srv.Middleware = []mcptool.Middleware{mark("first"), mark("second"), tallied(&made, &called)}
	w := open(t, srv)
	w.handshake("2025-11-25")
	for i := range 3 {
		w.send(legacy(fmt.Sprint(i), "tools/call", `"name":"x"`))
		w.want(`"content":[]`)
		other := tool(t, fmt.Sprint("other", i), echo)
		if err := srv.Tools.Add(other); err != nil {
			t.Fatal(err)
		}
		w.want("list_changed")
	}
	w.send(legacy("7", "tools/call", `"name":"x"`))
	w.want("too many calls")
	w.send(legacy("8", "tools/call", `"name":"y"`))
	w.want("unknown tool")
	if made.Load() != 1 || called.Load() != 3 || own.Load() != 4 || runs.Load() != 3 {
		t.Errorf("made %d times, called %d times, own %d times, func %d times; want 1, 3, 4 and 3", made.Load(), called.Load(), own.Load(), runs.Load())
	}
	if got := strings.Join(order, " "); got != strings.TrimSpace(strings.Repeat("first second tool ", 3)) {
		t.Errorf("order = %s", got)
	}
	w.send(legacy("9", "tools/call", `"name":"other0","arguments":{"a":1}`))
	w.want(`"structuredContent":{"a":1}`, `"text":"{\"a\":1}"`)
	if made.Load() != 2 {
		t.Errorf("made %d times for two tools, want 2", made.Load())
	}
}

// TestMiddlewareDefect: broken middleware fails all calls with an internal error, and the cause is logged.
func TestMiddlewareDefect(t *testing.T) {
	t.Parallel()
	for name, mw := range map[string]mcptool.Middleware{
		"nil":        nil,
		"no handler": func(mcptool.Handler) mcptool.Handler { return nil },
		"panics":     func(mcptool.Handler) mcptool.Handler { panic("secret") },
		"panics later": func(mcptool.Handler) mcptool.Handler {
			return func(context.Context, json.RawMessage) (*mcptool.Result, error) { panic("secret") }
		},
		"breaks the schema": func(mcptool.Handler) mcptool.Handler {
			return func(context.Context, json.RawMessage) (*mcptool.Result, error) {
				return &mcptool.Result{Structured: "secret"}, nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var runs atomic.Int64
			srv := serve(t, counted(t, &runs, mcptool.OutputSchema(json.RawMessage(`{"type":"object"}`))))
			srv.Middleware = []mcptool.Middleware{mw}
			log := logged(srv, slog.LevelError)
			w := open(t, srv)
			w.send(modern("1", "tools/call", `,"name":"x"`))
			answer := w.want(`"isError":true`)
			ref := reference.FindStringSubmatch(answer)
			if ref == nil || strings.Contains(answer, "secret") || !strings.Contains(log.String(), ref[1]) || runs.Load() != 0 {
				t.Errorf("func ran %d times, want 0; answer %s; log %s", runs.Load(), answer, log)
			}
		})
	}
}

// TestMiddlewareAsks: questions, progress and tasks work with middleware, which runs in each run of the func.
func TestMiddlewareAsks(t *testing.T) {
	t.Parallel()
	var made, called atomic.Int64
	retried := func(next mcptool.Handler) mcptool.Handler {
		return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
			mcptool.Progress(ctx, 1, 2, "begun")
			return next(ctx, args)
		}
	}
	server := func(tools ...*mcptool.Tool) *runtime.Server {
		srv := serve(t, tools...)
		srv.Middleware = []mcptool.Middleware{tallied(&made, &called), retried}
		return srv
	}
	w := open(t, server(confirming(t, "ask", nil)))
	w.send(able("1", "tools/call", `,"name":"ask"`))
	state := stateOf(t, w.next())
	w.send(able("2", "tools/call", `,"name":"ask","requestState":"`+state+`",`+agree))
	w.want(`"text":"agreed"`)
	if made.Load() != 1 || called.Load() != 2 {
		t.Errorf("made %d times, called %d times, want 1 and 2", made.Load(), called.Load())
	}
	w = open(t, server(confirming(t, "ask", nil)))
	w.handshakeAble("2025-11-25")
	w.send(legacy("1", "tools/call", `"name":"ask","_meta":{"progressToken":7}`))
	w.want(`"progressToken":7`, `"message":"begun"`)
	question := w.want("elicitation/create")
	var m struct{ ID json.RawMessage }
	decode(t, question, &m)
	w.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"action":"accept","content":{"confirm":true}}}`)
	w.want(`"text":"agreed"`)
}

func TestMiddlewareTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var made, called atomic.Int64
		srv := taskServer(t, tool(t, "x", echo, mcptool.Task(mcptool.TaskSupportRequired)))
		srv.Middleware = []mcptool.Middleware{tallied(&made, &called)}
		w := open(t, srv)
		w.send(tasked("1", "tools/call", `,"name":"x","arguments":{"a":1}`))
		id, _ := taskOf(t, w.next())
		synctest.Wait()
		w.send(tasked("2", "tasks/get", `,"taskId":"`+id+`"`))
		w.want(`"structuredContent":{"a":1}`)
		if called.Load() != 1 {
			t.Errorf("middleware called %d times, want 1", called.Load())
		}
	})
}
