package runtime_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/runtime/bus"
)

// TestBusIsNoisy: a Bus that loses, repeats, delays and reorders notices changes only how often clients are notified, not
// of which resources.
func TestBusIsNoisy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broker := &noisyBus{rnd: rand.New(rand.NewPCG(3, 14))}
		a, b := instance(t, broker), instance(t, broker)
		w := listener(t, b, modernRevision)
		allowed := map[string]bool{"resources/updated docs://guide": true, "resources/updated docs://guide/a": true}
		for range 500 {
			a.Tools.ResourceUpdated("docs://guide")
			a.Tools.ResourceUpdated("docs://guide/a")
			a.Tools.ResourceUpdated("docs://other")
			time.Sleep(10 * time.Millisecond)
		}
		got := w.notified()
		if len(got) < 20 {
			t.Errorf("notified %d times, want at least 20", len(got))
		}
		for _, what := range got {
			if !allowed[what] {
				t.Errorf("unexpected notification of %s", what)
			}
		}
		time.Sleep(time.Minute)
		a.Tools.ResourceUpdated("docs://guide")
		broker.settle()
		a.Tools.ResourceUpdated("docs://guide")
		w.wantNotified("after the bus works", "resources/updated docs://guide")
	})
}

// noisyBus is a bus.Local that drops a third of the notices, repeats a third, and delays all.
type noisyBus struct {
	bus.Local
	mu      sync.Mutex
	rnd     *rand.Rand
	settled bool
}

func (b *noisyBus) settle() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.settled = true
}

func (b *noisyBus) Publish(ctx context.Context, n bus.Notice) error {
	b.mu.Lock()
	copies, after := b.rnd.IntN(3), b.rnd.IntN(300)
	if b.settled {
		copies, after = 1, 0
	}
	b.mu.Unlock()
	for i := range copies {
		time.AfterFunc(time.Duration(after/(i+1))*time.Millisecond, func() { _ = b.Local.Publish(context.WithoutCancel(ctx), n) })
	}
	return nil
}

// TestBusHostile: invalid notices are ignored, and a flood of notices is coalesced.
func TestBusHostile(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 1<<20)
	for _, test := range []struct {
		name   string
		notice bus.Notice
		want   []string
	}{
		{"zero value", bus.Notice{}, nil},
		{"unknown kind", bus.Notice{From: "x", Kind: "roots"}, nil},
		{"long kind", bus.Notice{From: "x", Kind: long}, nil},
		{"no URI", bus.Notice{From: "x", Kind: bus.KindResource}, nil},
		{"URI of 1 MB", bus.Notice{From: "x", Kind: bus.KindResource, Subject: "docs://guide/" + long}, nil},
		{"invalid URI", bus.Notice{From: "x", Kind: bus.KindResource, Subject: "docs://guide/\x00\n"}, nil},
		{"incomplete escape", bus.Notice{From: "x", Kind: bus.KindResource, Subject: "docs://guide/%"}, nil},
		{"list with a subject of 1 MB", bus.Notice{From: "x", Kind: "tools", Subject: long}, nil},
		{"no task", bus.Notice{From: "x", Kind: "task"}, nil},
		{"task of 1 MB", bus.Notice{From: "x", Kind: "task", Subject: long}, nil},
		{"unknown task", bus.Notice{From: "x", Kind: "task", Subject: "1"}, nil},
		{"unknown kind for a tenant", bus.Notice{From: "x", Kind: "roots", Limited: true}, nil},
		{"tools of a tenant", bus.Notice{From: "x", Kind: "tools", Limited: true, Tenant: "acme"}, nil},
		{"tenant of 1 MB", bus.Notice{From: "x", Kind: bus.KindResources, Limited: true, Tenant: long}, nil},
		{"no sender", bus.Notice{Kind: bus.KindResource, Subject: "docs://guide"}, []string{"resources/updated docs://guide", "resources/updated docs://guide"}},
		{"long sender", bus.Notice{From: long, Kind: bus.KindResource, Subject: "docs://guide"}, []string{"resources/updated docs://guide", "resources/updated docs://guide"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				broker := &bus.Local{}
				srv := instance(t, broker)
				w := listener(t, srv, "2025-11-25")
				for range 10_000 {
					if err := broker.Publish(t.Context(), test.notice); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
				}
				w.wantNotified("10 000 notices", test.want...)
			})
		})
	}
}

// TestBusFlood: the limits of notifications to a client that does not read also apply to notices of a Bus.
func TestBusFlood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broker := &bus.Local{}
		srv := instance(t, broker)
		w := listener(t, srv, "2025-11-25")
		for i := range 10_000 {
			n := bus.Notice{From: "x", Kind: bus.KindResource, Subject: fmt.Sprintf("docs://guide/%d", i)}
			if err := broker.Publish(t.Context(), n); err != nil {
				t.Fatal(err)
			}
		}
		if got := w.notified(); len(got) < 65 || len(got) > 67 {
			t.Errorf("notified %d times, want 65 to 67", len(got))
		}
	})
}
