package runtime_test

import (
	"fmt"
	"testing"
	"testing/synctest"
)

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
