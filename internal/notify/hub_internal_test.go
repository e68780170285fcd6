package notify

import (
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// TestManyTenants checks that the memory for changes of tenants is bounded, and that a client is still notified of the
// changes of its tenant afterwards.
func TestManyTenants(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := new(mcptool.Registry)
		hub := NewHub(registry, nil, nil)
		client := hub.NewClient(t.Context(), slog.New(slog.DiscardHandler), func() {})
		announced := make(chan List, 100)
		stream := client.NewStream(func(l List) { announced <- l })
		stream.SetLists(Set{Resources: true}, Audience{"acme", true}, false)
		client.Join()
		defer client.Close()
		stream.Begin()
		change := func() {
			t.Helper()
			registry.ResourceListChangedFor("acme")
			time.Sleep(2 * interval)
			if len(announced) == 0 {
				t.Fatal("the client is not notified of a change of its tenant")
			}
			<-announced
		}
		change()
		for i := range 3 * maxTenants {
			registry.ResourceListChangedFor(fmt.Sprint("tenant ", i))
		}
		if n := len(hub.ofTenants); n > maxTenants {
			t.Errorf("the changes of %d tenants are kept, want at most %d", n, maxTenants)
		}
		time.Sleep(2 * interval)
		for len(announced) > 0 { // once more, because its change was forgotten
			<-announced
		}
		change()
	})
}
