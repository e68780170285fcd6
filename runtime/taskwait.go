package runtime

import (
	"context"
	"errors"
	"time"

	"github.com/mcptool-go/mcptool/task"
)

// wakePause is the minimum time between two lookups of a record by one waiting request after wake-ups: notices of the
// Bus may arrive at any rate.
const wakePause = 50 * time.Millisecond

// errWoken means that the record should be looked up.
var errWoken = errors.New("the task may have changed")

// wakeUp is a context that ends when waiting requests should look up the record of a task, because it may have changed
// and the store may be slow to notice. Requests that continue to wait then use a new one.
type wakeUp struct {
	context.Context //nolint:containedctx // a signal that ends waiting for the store
	cancel          context.CancelFunc
	waiting         int // guarded by endStore.mu
}

// Wait implements [task.Store].
func (s *endStore) Wait(ctx context.Context, id string, seen uint64) (task.Record, error) {
	s.bus.subscribe()
	for woken := false; ; woken = true {
		r, err := s.waitForWakeUp(ctx, id, seen, woken)
		if !errors.Is(err, errWoken) {
			return r, err
		}
	}
}

// waitForWakeUp is Wait, but returns [errWoken] at a wake-up. If woken is set, it looks up the record first.
func (s *endStore) waitForWakeUp(ctx context.Context, id string, seen uint64, woken bool) (task.Record, error) {
	wake, r, ended := s.enterWait(id) // before the lookup, so that no wake-up is missed
	defer s.leaveWait(id, wake)
	if ended {
		return r, ctx.Err()
	}
	if woken {
		record := beginRecord(ctx)
		r, err := s.Store.Get(ctx, id)
		err = record.end(&r, seen, err) //nolint:contextcheck // record has the context
		if err == nil && r.Version > seen {
			return r, nil
		}
		sleep(ctx, wakePause)
	}
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(wake, cancel)() //nolint:contextcheck // only ends the wait
	r, err := s.Store.Wait(waiting, id, seen)
	if err != nil && wake.Err() != nil && ctx.Err() == nil {
		return task.Record{}, errWoken
	}
	return r, err
}

// enterWait returns the next wake-up for a task, or the end of the task if it is in memory.
func (s *endStore) enterWait(id string) (wake *wakeUp, r task.Record, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if wake = s.wakes[id]; wake == nil {
		wake = &wakeUp{}
		wake.Context, wake.cancel = context.WithCancel(context.Background())
		s.wakes[id] = wake
	}
	wake.waiting++
	r, ended = s.end(id)
	return wake, r, ended
}

// leaveWait undoes enterWait.
func (s *endStore) leaveWait(id string, wake *wakeUp) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if wake.waiting--; wake.waiting > 0 {
		return
	}
	wake.cancel()
	if s.wakes[id] == wake {
		delete(s.wakes, id)
	}
}

// wakeUp makes requests that wait for a task look up its record. Without such requests it does nothing.
func (s *endStore) wakeUp(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wake(id)
}

// wakeAll is wakeUp for every task with waiting requests.
func (s *endStore) wakeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.wakes {
		s.wake(id)
	}
}

// wake is wakeUp for a caller that holds s.mu.
func (s *endStore) wake(id string) {
	if wake := s.wakes[id]; wake != nil {
		delete(s.wakes, id)
		wake.cancel()
	}
}

// recordChanges waits for the changes of one record, for one goroutine. If the record changes all the time, that does
// not keep the server busy: after several changes without a pause it waits only twenty times per second, and skips the
// changes in between.
type recordChanges struct {
	store *endStore
	quick int // number of consecutive changes without a pause
}

// next is [task.Store.Wait].
func (c *recordChanges) next(ctx context.Context, id string, seen uint64) (task.Record, error) {
	const most, pause = 16, 50 * time.Millisecond
	if c.quick == most && !sleep(ctx, pause) {
		return task.Record{}, ctx.Err()
	}
	began := time.Now()
	r, err := c.store.Wait(ctx, id, seen)
	if time.Since(began) >= pause {
		c.quick = 0
	} else {
		c.quick = min(c.quick+1, most)
	}
	return r, err
}
