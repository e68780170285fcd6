package limit

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/share"
)

// CallerSemaphore bounds how many calls run at once, in total and of each caller. Any number may wait, and callers are
// served round-robin. Trusted callers are bounded only by the total. It is safe for concurrent use.
type CallerSemaphore struct {
	size, each int

	mu       sync.Mutex
	taken    int
	byCaller share.Tally[Caller] // how many each caller holds
	waiting  waitQueue
}

// NewCallerSemaphore returns a semaphore with this size, of which each caller may hold at most each.
func NewCallerSemaphore(size, each int) *CallerSemaphore {
	return &CallerSemaphore{size: size, each: each, waiting: waitQueue{room: math.MaxInt, each: math.MaxInt}}
}

// Limits returns the size of the semaphore and how many units of it one caller may hold.
func (s *CallerSemaphore) Limits() (size, each int) { return s.size, s.each }

// Acquire waits until it acquires the semaphore. The error is [ErrTimeout] after timeout, where zero means no timeout,
// or the error of ctx if that ends first.
func (s *CallerSemaphore) Acquire(ctx context.Context, who Caller, timeout time.Duration) error {
	turn := s.queue(who)
	if turn == nil {
		return nil
	}
	var expired <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		expired = timer.C
	}
	var err error
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-expired:
		err = ErrTimeout
	}
	if !s.abandon(who, turn) {
		return nil // acquired at the same time
	}
	return err
}

// queue acquires the semaphore, or returns a channel that is closed when it is acquired.
func (s *CallerSemaphore) queue(who Caller) (turn chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken >= s.size || !s.give(who) {
		return s.waiting.add(who) // the semaphore is full, or the caller has taken its share
	}
	return nil
}

// takeBack is the reverse of give.
func (s *CallerSemaphore) takeBack(who Caller) {
	s.taken--
	if !who.isTrusted {
		s.byCaller.Add(who, -1)
	}
}

// give gives the semaphore, which must not be full, to a caller. It reports false if the caller has taken its share.
// s.mu must be locked.
func (s *CallerSemaphore) give(who Caller) bool {
	if !who.isTrusted && !s.byCaller.AddWithin(who, 1, int64(s.each)) {
		return false
	}
	s.taken++
	return true
}

// may reports whether a caller has not taken all of its share. s.mu must be locked.
func (s *CallerSemaphore) may(who Caller) bool {
	return who.isTrusted || s.byCaller.Of(who) < int64(s.each)
}

// abandon leaves the queue. It reports false if the semaphore has been acquired already.
func (s *CallerSemaphore) abandon(who Caller, turn chan struct{}) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting.remove(who, turn)
}

// Release releases the semaphore and hands it to the next waiting caller that has not taken its share.
func (s *CallerSemaphore) Release(who Caller) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takeBack(who)
	if s.waiting.count == 0 {
		return
	}
	if next, ok := s.waiting.next(s.may); ok {
		s.give(next)
	}
}
