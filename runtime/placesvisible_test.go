package runtime_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

func TestPlacesVisibleHolds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "echo", echo), tool(t, "hidden", echo, mcptool.VisibleIf(func(mcptool.CallInfo) bool { time.Sleep(10 * time.Minute); return true })))
		e := srv.Endpoint(t.Context())
		for range places() {
			x := newRecorder()
			go e.Answer(t.Context(), access(srv, modern("1", "tools/call", `,"name":"hidden","arguments":{"pad":"`+strings.Repeat("x", 20<<10)+`"}`), "mallory"), x)
		}
		synctest.Wait()
		if took, last := probe(t, srv, e, "ann"); took != 0 {
			t.Errorf("ann waits for %v: %.100s", took, last)
		}
		time.Sleep(time.Hour)
	})
}
