package limit

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/share"
)

// CallerSemaphore bounds how many calls run at once, in total and of each caller. Any number may wait, and callers take
// turns. Trusted callers are bounded by the total only. It is safe for concurrent use.
type CallerSemaphore struct {
	size, each int

	mu       sync.Mutex
	taken    int
	byCaller share.Tally[Caller] // how many each caller holds
	waiting  waitQueue
}

// NewCallerSemaphore returns a semaphore of a size, of which each caller may hold at most each.
func NewCallerSemaphore(size, each int) *CallerSemaphore {
	return &CallerSemaphore{size: size, each: each, waiting: waitQueue{room: math.MaxInt, each: math.MaxInt}}
}

// Limits returns the size of the semaphore, and how much of it one caller may hold.
func (s *CallerSemaphore) Limits() (size, each int) { return s.size, s.each }

// Acquire waits for the semaphore. If timeout passes first the error is [ErrTimeout], if ctx ends first that of ctx.
func (s *CallerSemaphore) Acquire(ctx context.Context, who Caller, timeout time.Duration) error {
	turn := s.queue(who)
	if turn == nil {
		return nil
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	var err error
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = ErrTimeout
	}
	if !s.abandon(who, turn) {
		return nil // it was acquired at the same time
	}
	return err
}

// queue acquires the semaphore, or returns a channel that is closed when it is acquired.
func (s *CallerSemaphore) queue(who Caller) (turn chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken >= s.size || !s.give(who) {
		return s.waiting.add(who) // a caller that waits although it is free has taken its share
	}
	return nil
}

// give gives the semaphore, which is free, to a caller unless it has taken its share. The caller of it holds s.mu.
func (s *CallerSemaphore) give(who Caller) bool {
	if !who.isTrusted && !s.byCaller.AddWithin(who, 1, int64(s.each)) {
		return false
	}
	s.taken++
	return true
}

// may reports whether a caller has not taken all of its share. The caller holds s.mu.
func (s *CallerSemaphore) may(who Caller) bool {
	return who.isTrusted || s.byCaller.Of(who) < int64(s.each)
}

// abandon leaves the queue; it reports false if the semaphore was acquired already.
func (s *CallerSemaphore) abandon(who Caller, turn chan struct{}) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting.remove(who, turn)
}

// Release frees the semaphore, and gives it to the next one in the queue.
func (s *CallerSemaphore) Release(who Caller) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	if !who.isTrusted {
		s.byCaller.Add(who, -1)
	}
	if s.waiting.count == 0 {
		return
	}
	if next, ok := s.waiting.next(s.may); ok {
		s.give(next)
	}
}
