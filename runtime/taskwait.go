package runtime

import (
	"context"
	"errors"
	"time"

	"github.com/mcptool-go/mcptool/task"
)

// wakePause is the minimum time between two wake-ups of one waiting request: notices of the Bus may arrive at any rate.
const wakePause = 50 * time.Millisecond

// errWoken means that the record may have changed, and that the store, which may be slow to notice, is to be asked again.
var errWoken = errors.New("the task may have changed")

// waiters are the requests that wait for one task. Each is identified by the func that ends the context of its Wait.
type waiters map[*context.CancelFunc]struct{}

// Wait implements [task.Store].
func (s *endStore) Wait(ctx context.Context, id string, seen uint64) (task.Record, error) {
	s.notices.Subscribe()
	var woken time.Time
	for {
		r, err := s.waitForWakeUp(ctx, id, seen)
		if !errors.Is(err, errWoken) {
			return r, err
		}
		sleep(ctx, wakePause-time.Since(woken))
		woken = time.Now()
	}
}

// waitForWakeUp is Wait, but returns [errWoken] at a wake-up.
func (s *endStore) waitForWakeUp(ctx context.Context, id string, seen uint64) (task.Record, error) {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	r, ended := s.enterWait(id, &cancel) // before the store is asked, so that no wake-up is missed
	defer s.leaveWait(id, &cancel)
	if ended {
		return r, ctx.Err()
	}
	r, err := s.Store.Wait(waiting, id, seen)
	if err != nil && ctx.Err() == nil && waiting.Err() != nil {
		err = errWoken
	}
	return r, err
}

// enterWait adds a waiting request, and returns the end of the task if it is in memory.
func (s *endStore) enterWait(id string, cancel *context.CancelFunc) (r task.Record, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wakes[id] == nil {
		s.wakes[id] = waiters{}
	}
	s.wakes[id][cancel] = struct{}{}
	return s.end(id)
}

// leaveWait undoes enterWait.
func (s *endStore) leaveWait(id string, cancel *context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if delete(s.wakes[id], cancel); len(s.wakes[id]) == 0 {
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
	for cancel := range s.wakes[id] {
		(*cancel)()
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
