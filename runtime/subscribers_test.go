package runtime_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// TestChangeReachesAll: a change is sent to each of a thousand streams, once.
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

// TestChangesWithinInterval: a client is notified at once of the first change of a list, and once of all changes in the next
// 100 ms, but not if a tool is replaced by an identical one.
func TestChangesWithinInterval(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{"2025-11-25", modernRevision} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := serve(t)
				w := open(t, srv)
				if revision == modernRevision {
					w.send(modern("1", "subscriptions/listen", `,"notifications":{"toolsListChanged":true}`))
					w.want("acknowledged")
				} else {
					w.handshake(revision)
				}
				change := func(description string) {
					if err := srv.Tools.Replace(tool(t, "x", echo, mcptool.Description(description))); err != nil {
						t.Fatal(err)
					}
				}
				change("first")
				synctest.Wait()
				w.want("notifications/tools/list_changed")
				for i := range 300 { // in 2 s
					change(fmt.Sprint(i))
					time.Sleep(2 * time.Second / 300)
				}
				time.Sleep(time.Second)
				if n := len(w.out); n < 19 || n > 21 {
					t.Errorf("got %d notifications of 300 changes in 2 s, want 19 to 21", n)
				}
				for len(w.out) > 0 {
					w.want("notifications/tools/list_changed")
				}
				for range 10 {
					change("299")
					time.Sleep(time.Second)
				}
				w.quiet()
				w.send(modern("2", "tools/list", ""))
				w.want(`"description":"299"`)
			})
		})
	}
}
