package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// TestStorm lets a client do everything at once: calls that report and log,
// cancellations that come too early, in time and too late, streams that open and close,
// tools that change. Under the race detector it shows that none of it meets unguarded;
// and whatever happens, a call is answered once, or not at all if it was cancelled
// (T-CANC-05), and no goroutine is left: the bubble would not end.
func TestStorm(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const clients, calls = 8, 50
		srv := serve(t, tool(t, "work", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			for i := range 5 {
				mcptool.Progress(ctx, float64(i), 5, "on it")
				mcptool.Logger(ctx).InfoContext(ctx, "on it")
				select {
				case <-time.After(rand.N(10 * time.Millisecond)):
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}
			return &mcptool.Result{}, nil
		}))
		srv.Limits.Concurrent = 10
		w := bare(t, srv)
		var wg sync.WaitGroup
		for c := range clients {
			wg.Go(func() {
				for i := range calls {
					id := fmt.Sprintf(`"%d-%d"`, c, i)
					w.send(legacy(id, "tools/call", `"name":"work","_meta":{"progressToken":`+id+`}`))
					time.Sleep(rand.N(5 * time.Millisecond))
					if i%2 == 0 {
						w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
					}
				}
			})
		}
		wg.Go(func() {
			for i := range calls {
				w.send(modern(fmt.Sprint(i), "subscriptions/listen", `,"notifications":{"toolsListChanged":true}`))
				extra := tool(t, fmt.Sprintf("extra%d", i), echo)
				if err := srv.Tools.Add(extra); err != nil {
					t.Error(err)
				}
				w.send(modern(`"list"`, "tools/list", ""))
				time.Sleep(rand.N(5 * time.Millisecond))
				w.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i))
			}
		})
		wg.Wait()
		if err := w.session.Close(t.Context()); err != nil {
			t.Error(err)
		}
		close(w.out)
		answers := map[string]int{}
		last := map[string]float64{}
		for msg := range w.out {
			var m struct {
				ID     json.RawMessage
				Method string
				Params struct {
					ProgressToken string
					Progress      float64
				}
			}
			if err := json.Unmarshal([]byte(msg), &m); err != nil {
				t.Fatal(err)
			}
			if m.Method == "notifications/progress" {
				token := m.Params.ProgressToken
				if before, again := last[token]; again && m.Params.Progress <= before || answers[`"`+token+`"`] > 0 {
					t.Errorf("progress goes back, or comes too late: %s", msg)
				}
				last[token] = m.Params.Progress
				continue
			}
			if m.Method == "" && string(m.ID) != `"list"` {
				answers[string(m.ID)]++
			}
		}
		for c := range clients {
			for i := range calls {
				id := fmt.Sprintf(`"%d-%d"`, c, i)
				if n := answers[id]; n > 1 || n == 0 && i%2 == 1 {
					t.Errorf("call %s was answered %d times", id, n)
				}
			}
		}
	})
}

// TestChangeReachesAll: one change is told to a thousand streams, to each once.
func TestChangeReachesAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t)
		var wires []*wire
		for i := range 1000 {
			w := &wire{t: t, out: make(chan string, 10)}
			w.session = srv.Open(t.Context(), w)
			w.send(modern(fmt.Sprint(i), "subscriptions/listen", `,"notifications":{"toolsListChanged":true}`))
			w.want("acknowledged")
			wires = append(wires, w)
		}
		if err := srv.Tools.Add(tool(t, "new", echo)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		for i, w := range wires {
			w.want("notifications/tools/list_changed", fmt.Sprintf(`subscriptionId":%d}`, i))
			w.quiet()
			if err := w.session.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
}
