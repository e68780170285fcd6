package tasks

import (
	"context"
	"errors"
	"time"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/contain"
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
	if s.onWait != nil {
		s.onWait()
	}
	var woken time.Time
	for {
		r, err := s.waitForWakeUp(ctx, id, seen)
		if !errors.Is(err, errWoken) {
			return r, err
		}
		if m, ok := ctx.Value(callctx.ReserverKey{}).(callctx.Reserver); ok {
			m.Release() // memory that Wait has reserved
		}
		sleep(ctx, wakePause-time.Since(woken))
		woken = time.Now()
	}
}

// waitForWakeUp is Wait, but returns [errWoken] at a wake-up.
func (s *Store) waitForWakeUp(ctx context.Context, id string, seen uint64) (r task.Record, err error) {
	defer contain.Error(&err)
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	if s.wakes[id] == nil {
		s.wakes[id] = waiters{}
	}
	s.wakes[id][&cancel] = struct{}{} // before the store is asked, so that no wake-up is missed
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if delete(s.wakes[id], &cancel); len(s.wakes[id]) == 0 {
			delete(s.wakes, id)
		}
	}()
	if end, ok := s.end(id); ok {
		return end, ctx.Err()
	}
	r, err = s.store.Wait(waiting, id, seen)
	if err != nil && ctx.Err() == nil && waiting.Err() != nil {
		err = errWoken
	}
	return checked(r, id, err)
}

// WakeUp makes requests that wait for a task look up its record.
func (s *Store) WakeUp(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wake(id)
}

// WakeAll is WakeUp for every task.
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
