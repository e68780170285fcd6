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

// parking is a session with a tool that asks and one that runs until it is released.
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

// agreeTo answers a question of the server.
func agreeTo(id int) string {
	return `{"jsonrpc":"2.0","id":` + strconv.Itoa(id) + `,"result":{"action":"accept","content":{"confirm":true}}}`
}

func callNamed(id, name string) string { return legacy(id, "tools/call", `"name":"`+name+`"`) }

// TestAskParks: calls that wait for the client do not keep it from being heard, there are no more
// of them than there may be, and those that run stay within their limit.
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

		// One runs and one waits. If those that ask had a place, this would never return.
		w.send(callNamed("4", "hold"), callNamed("5", "ask"), agreeTo(1))
		w.want(`"id":1,"result"`, "agreed")
		synctest.Wait()
		w.quiet() // one still runs, so what waits goes on waiting
		release()
		w.want(`"id":4,"result"`)
		w.want(`"id":3,"method":"elicitation/create"`)
		w.send(agreeTo(2))
		w.want(`"id":2,"result"`)
		w.send(agreeTo(3))
		w.want(`"id":5,"result"`)
		if err := w.session.Close(t.Context()); err != nil {
			t.Errorf("something still runs: %v", err)
		}
	})
}

// TestAskHandsPlaceOver: what waits is run in the place of a call that begins to ask.
func TestAskHandsPlaceOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, release := parking(t, runtime.Limits{MaxConcurrentCalls: 1}, 10)
		w.send(callNamed("1", "hold"), callNamed("2", "ask"), callNamed("3", "ask"))
		synctest.Wait()
		w.quiet()
		release()
		w.want(`"id":1,"result"`)
		asked := w.next() + w.next() // the second call may be quicker than the first
		for _, want := range []string{`"id":1,"method":"elicitation/create"`, `"id":2,"method":"elicitation/create"`} {
			if !strings.Contains(asked, want) {
				t.Errorf("got  %s\nwant %s in it", asked, want)
			}
		}
	})
}

// TestAskParksOnce: a call has one place to give, however much it asks at once.
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
		w.quiet() // the one place is taken
		w.send(agreeTo(1), agreeTo(2), agreeTo(3))
		w.want(`"id":1,"result"`)
		close(hold)
		w.want(`"id":2,"result"`)
		w.want(`"method":"elicitation/create"`)
	})
}
