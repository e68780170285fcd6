package runtime_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/runtime/bus"
)

// brokenBus is a bus.Local that drops all notices until mend.
type brokenBus struct {
	bus.Local
	mu     sync.Mutex
	mended bool
	fns    []func(bus.Notice)
}

func (b *brokenBus) Publish(ctx context.Context, n bus.Notice) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.mended {
		return nil
	}
	return b.Local.Publish(ctx, n)
}

func (b *brokenBus) Subscribe(fn func(bus.Notice)) (stop func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fns = append(b.fns, fn)
	return b.Local.Subscribe(fn)
}

func (b *brokenBus) mend() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mended = true
	for _, fn := range b.fns {
		fn(bus.Notice{Kind: bus.KindMissed})
	}
}

// TestBusMissed: when a Bus reports that it may have lost notices, clients are notified once of all their subscriptions,
// and nothing is published.
func TestBusMissed(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{"2025-03-26", "2025-11-25", modernRevision} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				broker := &brokenBus{}
				a, b := instance(t, broker), instance(t, broker)
				w := listener(t, b, revision)
				for i, c := range changes {
					c.change(t, a.Tools, i)
				}
				w.wantNotified("while the bus is broken")
				broker.mend()
				all := []string{"prompts/list_changed", "resources/list_changed", "resources/updated docs://guide", "tools/list_changed"}
				w.wantNotified("after the bus works again", all...)
				for range 1000 {
					broker.mend()
				}
				if got := len(w.notified()); got == 0 || got > 8*len(all) {
					t.Errorf("notified %d times after 1000 reports of missed notices, want 1 to %d", got, 8*len(all))
				}
				for i, c := range changes {
					c.change(t, a.Tools, 10+i)
					w.wantNotified("change of "+c.name, c.want)
				}
			})
		})
	}
}

// TestBusMissedTask: a task that was cancelled at another instance ends when the Bus works again.
func TestBusMissedTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended, broker := make(chan error, 2), &brokenBus{}
		a, b, _ := sharing(t, broker, waiting(t, "wait", ended))
		w, other := open(t, a), open(t, b)
		w.send(tasked("1", "tools/call", `,"name":"wait"`))
		id, _ := taskOf(t, w.next())
		synctest.Wait()
		other.send(tasked("2", "tasks/cancel", fmt.Sprintf(`,"taskId":%q`, id)))
		other.want(`"id":2,"result":{`)
		time.Sleep(time.Minute)
		select {
		case <-ended:
			t.Error("the task ended while the bus was broken")
		default:
		}
		mended := time.Now()
		broker.mend()
		<-ended
		if took := time.Since(mended); took != 0 {
			t.Errorf("the task ended after %v, want 0", took)
		}
	})
}

// TestBusMissedElsewhere: a resource without a valid subscription is not in the notifications.
func TestBusMissedElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broker := &brokenBus{}
		b := instance(t, broker)
		w := listener(t, b, modernRevision)
		w.send(modern("2", "subscriptions/listen", `,"notifications":{"resourceSubscriptions":["docs://none"]}`))
		w.want("acknowledged")
		broker.mend()
		w.wantNotified("after the bus works again", "prompts/list_changed", "resources/list_changed", "resources/updated docs://guide", "tools/list_changed")
	})
}
