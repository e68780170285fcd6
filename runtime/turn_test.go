package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestAskedForInTurn: a call that runs in the goroutine that reads can be cancelled, and its id is in use, from its
// start. The tool itself sends the messages that arrive so early.
func TestAskedForInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w *wire
		inTurn := func(context.Context) {}
		w, f := stream(t, serve(t, tool(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			inTurn(ctx)
			return &mcptool.Result{}, nil
		})))
		call := func(id string) string { return legacy(id, "tools/call", `"name":"x"`) }
		w.trust(f, call("1"))

		inTurn = func(context.Context) { w.session.Receive([]byte(call("2"))) }
		f.messages <- call("2")
		w.want(`"id":2`, "still being answered")
		w.want(`"id":2`, `"result"`)
		synctest.Wait()

		inTurn = func(ctx context.Context) {
			w.session.Receive([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"three"}}`))
			if err := context.Cause(ctx); !errors.Is(err, runtime.ErrCancelled) {
				t.Errorf("Cause = %v, want ErrCancelled", err)
			}
		}
		f.messages <- call(`"thr\u0065e"`)
		synctest.Wait()
		w.quiet()

		inTurn = func(ctx context.Context) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			if w.session.Close(ctx) == nil {
				t.Error("Close = nil, want an error about the cancelled call")
			}
		}
		f.messages <- call("4")
		w.want(`"id":4`, "shutting down")
		w.quiet()
	})
}
