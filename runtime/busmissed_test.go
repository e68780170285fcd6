package runtime_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

// brokenBus is a LocalBus that drops all notices until mend.
type brokenBus struct {
	runtime.LocalBus
	mu     sync.Mutex
	mended bool
	fns    []func(runtime.Notice)
}

func (b *brokenBus) Publish(ctx context.Context, n runtime.Notice) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.mended {
		return nil
	}
	return b.LocalBus.Publish(ctx, n)
}

func (b *brokenBus) Subscribe(fn func(runtime.Notice)) (stop func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fns = append(b.fns, fn)
	return b.LocalBus.Subscribe(fn)
}

func (b *brokenBus) mend() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mended = true
	for _, fn := range b.fns {
		fn(runtime.Notice{Kind: runtime.NoticeKindMissed})
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
				bus := &brokenBus{}
				a, b := instance(t, bus), instance(t, bus)
				w := listener(t, b, revision)
				for i, c := range changes {
					c.change(t, a.Tools, i)
				}
				w.wantNotified("while the bus is broken")
				bus.mend()
				all := []string{"prompts/list_changed", "resources/list_changed", "resources/updated docs://guide", "tools/list_changed"}
				w.wantNotified("after the bus works again", all...)
				for range 1000 {
					bus.mend()
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
		ended, bus := make(chan error, 2), &brokenBus{}
		a, b, _ := sharing(t, bus, waiting(t, "wait", ended))
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
		bus.mend()
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
		bus := &brokenBus{}
		b := instance(t, bus)
		w := listener(t, b, modernRevision)
		w.send(modern("2", "subscriptions/listen", `,"notifications":{"resourceSubscriptions":["docs://none"]}`))
		w.want("acknowledged")
		bus.mend()
		w.wantNotified("after the bus works again", "prompts/list_changed", "resources/list_changed", "resources/updated docs://guide", "tools/list_changed")
	})
}
