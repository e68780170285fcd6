package tasks

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
func (s *Store) Wait(ctx context.Context, id string, seen uint64) (task.Record, error) {
	if s.OnWait != nil {
		s.OnWait()
	}
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
func (s *Store) waitForWakeUp(ctx context.Context, id string, seen uint64) (task.Record, error) {
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
func (s *Store) enterWait(id string, cancel *context.CancelFunc) (r task.Record, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wakes[id] == nil {
		s.wakes[id] = waiters{}
	}
	s.wakes[id][cancel] = struct{}{}
	return s.end(id)
}

// leaveWait undoes enterWait.
func (s *Store) leaveWait(id string, cancel *context.CancelFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if delete(s.wakes[id], cancel); len(s.wakes[id]) == 0 {
		delete(s.wakes, id)
	}
}

// WakeUp makes requests that wait for a task look up its record. Without such requests it does nothing.
func (s *Store) WakeUp(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wake(id)
}

// WakeAll is WakeUp for every task with waiting requests.
func (s *Store) WakeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.wakes {
		s.wake(id)
	}
}

// wake is WakeUp for a caller that holds s.mu.
func (s *Store) wake(id string) {
	for cancel := range s.wakes[id] {
		(*cancel)()
	}
}

// Changes waits for the changes of one record, for one goroutine. If the record changes all the time, that does
// not keep the server busy: after several changes without a pause it waits only twenty times per second, and skips the
// changes in between.
type Changes struct {
	Store *Store
	quick int // number of consecutive changes without a pause
}

// Next is [task.Store.Wait].
func (c *Changes) Next(ctx context.Context, id string, seen uint64) (task.Record, error) {
	const most, pause = 16, 50 * time.Millisecond
	if c.quick == most && !sleep(ctx, pause) {
		return task.Record{}, ctx.Err()
	}
	began := time.Now()
	r, err := c.Store.Wait(ctx, id, seen)
	if time.Since(began) >= pause {
		c.quick = 0
	} else {
		c.quick = min(c.quick+1, most)
	}
	return r, err
}
