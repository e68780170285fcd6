package runtime_test

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// parking opens a session with a tool that asks and one that blocks until release.
func parking(t *testing.T, limits runtime.Limits, mostRequests int) (w *wire, release func()) {
	t.Helper()
	hold := make(chan struct{})
	srv := serve(t, confirming(t, "ask", nil), tool(t, "hold", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		<-hold
		return &mcptool.Result{}, nil
	}))
	srv.Limits = limits
	runtime.Fixed(srv).MaxClientRequests = mostRequests
	w = open(t, srv)
	w.handshakeAble("2025-11-25")
	return w, func() { close(hold) }
}

// agreeTo returns the answer yes to the question with this id.
func agreeTo(id int) string {
	return `{"jsonrpc":"2.0","id":` + strconv.Itoa(id) + `,"result":{"action":"accept","content":{"confirm":true}}}`
}

func callNamed(id, name string) string { return legacy(id, "tools/call", `"name":"`+name+`"`) }

// TestAskParks: calls that wait for the client do not block reading, their number is limited, and running calls stay
// within MaxConcurrentCalls.
func TestAskParks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, release := parking(t, runtime.Limits{MaxConcurrentCalls: 1, MaxQueuedCalls: 1}, 2)
		w.send(callNamed("1", "ask"))
		w.want(`"id":1,"method":"elicitation/create"`)
		w.send(callNamed("2", "ask"))
		w.want(`"id":2,"method":"elicitation/create"`)
		w.send(callNamed("3", "ask"))
		w.want(`"id":3,"result"`, "too many questions to the client are open", `"isError":true`)

		// One call runs and one waits. This would block if asking calls counted as running.
		w.send(callNamed("4", "hold"), callNamed("5", "ask"), agreeTo(1))
		w.want(`"id":1,"result"`, "agreed")
		synctest.Wait()
		w.quiet() // one call still runs, so the other waits
		release()
		w.want(`"id":4,"result"`)
		w.want(`"id":3,"method":"elicitation/create"`)
		w.send(agreeTo(2))
		w.want(`"id":2,"result"`)
		w.send(agreeTo(3))
		w.want(`"id":5,"result"`)
		if err := w.session.Close(t.Context()); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
}

// TestAskHandsPlaceOver: when a call begins to ask, a waiting call runs.
func TestAskHandsPlaceOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, release := parking(t, runtime.Limits{MaxConcurrentCalls: 1}, 10)
		w.send(callNamed("1", "hold"), callNamed("2", "ask"), callNamed("3", "ask"))
		synctest.Wait()
		w.quiet()
		release()
		w.want(`"id":1,"result"`)
		asked := w.next() + w.next() // the second call may be faster than the first
		for _, want := range []string{`"id":1,"method":"elicitation/create"`, `"id":2,"method":"elicitation/create"`} {
			if !strings.Contains(asked, want) {
				t.Errorf("got %s\nwant %s", asked, want)
			}
		}
	})
}

// TestAskParksOnce: a call that asks several questions releases its slot once.
func TestAskParksOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		srv := serve(t, tool(t, "ask", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			var asking sync.WaitGroup
			for range 3 {
				asking.Go(func() { _ = mcptool.Confirm(ctx, "Sure?") })
			}
			asking.Wait()
			return &mcptool.Result{}, nil
		}), tool(t, "hold", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			<-hold
			return &mcptool.Result{}, nil
		}))
		srv.Limits.MaxConcurrentCalls = 1
		w := open(t, srv)
		w.handshakeAble("2025-11-25")
		w.send(callNamed("1", "ask"))
		for range 3 {
			w.want(`"method":"elicitation/create"`)
		}
		w.send(callNamed("2", "hold"), callNamed("3", "ask"))
		synctest.Wait()
		w.quiet() // the only slot is taken
		w.send(agreeTo(1), agreeTo(2), agreeTo(3))
		w.want(`"id":1,"result"`)
		close(hold)
		w.want(`"id":2,"result"`)
		w.want(`"method":"elicitation/create"`)
	})
}
