package runtime_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// nextAfter returns the next message of the session, which must arrive exactly after d.
func nextAfter(w *wire, d time.Duration) string {
	w.t.Helper()
	time.Sleep(d - time.Millisecond)
	w.quiet()
	time.Sleep(time.Millisecond)
	return w.next()
}

// TestWaitsAreBounded: a call of an untrusted caller that waits for a tool fails after a minute as busy. Trusted peers
// and tasks wait longer.
func TestWaitsAreBounded(t *testing.T) {
	t.Parallel()
	const atTool = "the tool is busy: at most 1 of its calls run at once"
	for _, test := range []struct {
		name  string
		opts  []mcptool.ToolOption
		call  func(ctx context.Context, srv *runtime.Server, e runtime.Endpoint, w *wire) (answer string)
		after time.Duration
		want  string
	}{
		{
			"call",
			[]mcptool.ToolOption{mcptool.Concurrent(1)},
			func(ctx context.Context, srv *runtime.Server, e runtime.Endpoint, _ *wire) string {
				x := answerAs(ctx, srv, e, "ann", "2", "block")
				<-x.done
				return x.last
			}, time.Minute, atTool,
		},
		{
			"call in a session",
			[]mcptool.ToolOption{mcptool.Concurrent(1)},
			func(_ context.Context, srv *runtime.Server, _ runtime.Endpoint, w *wire) string {
				m := srv.Read([]byte(legacy("2", "tools/call", `"name":"block"`)))
				m.Access = (*engine.Access)(&runtime.Access{Principal: "ann"})
				w.session.Serve(m, nil)
				return nextAfter(w, time.Minute)
			}, time.Minute, atTool,
		},
		{
			"trusted peer",
			[]mcptool.ToolOption{mcptool.Concurrent(1)},
			func(_ context.Context, _ *runtime.Server, _ runtime.Endpoint, w *wire) string {
				w.send(legacy("2", "tools/call", `"name":"block"`))
				return nextAfter(w, 30*time.Minute)
			}, 30 * time.Minute, `"content":[]`,
		},
		{
			"task",
			[]mcptool.ToolOption{mcptool.Concurrent(1), mcptool.Task(mcptool.TaskSupportOptional)},
			func(_ context.Context, srv *runtime.Server, _ runtime.Endpoint, w *wire) string {
				m := srv.Read([]byte(legacy("2", "tools/call", `"name":"block","task":{}`)))
				m.Access = (*engine.Access)(&runtime.Access{Principal: "ann"})
				w.session.Serve(m, nil)
				w.want(`"status":"working"`)
				return nextAfter(w, 30*time.Minute)
			}, 30 * time.Minute, `"status":"completed"`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := &blocker{release: make(chan struct{})}
				srv := taskServer(t, tool(t, "block", b.call, test.opts...), tool(t, "echo", echo))
				srv.Methods = []runtime.Method{{Name: "x/y", Handle: func(context.Context, json.RawMessage) (any, error) { return struct{}{}, nil }}}
				endpoint := srv.Endpoint(t.Context())
				w := open(t, srv)
				w.handshake("2025-11-25")
				began := time.Now()
				time.AfterFunc(30*time.Minute, func() { close(b.release) })
				first := answerAs(t.Context(), srv, endpoint, "ann", "1", "block")
				answer := test.call(t.Context(), srv, endpoint, w)
				if took := time.Since(began); took != test.after || !strings.Contains(answer, test.want) {
					t.Errorf("answered after %v with %s, want %s after %v", took, answer, test.want, test.after)
				}
				if <-first.done; !strings.Contains(first.last, `"id":1,"result"`) || strings.Contains(first.last, "isError") {
					t.Errorf("the first call was answered with %s", first.last)
				}
				if x := answerAs(t.Context(), srv, endpoint, "ann", "4", "echo"); !strings.Contains(x.last, `"id":4,"result"`) {
					t.Errorf("call of another tool: %s", x.last)
				}
			})
		})
	}
}
