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

// Acquire waits for the semaphore. If timeout passes first the error is [ErrTimeout], if ctx ends first that of ctx; a
// timeout of zero is none.
func (s *CallerSemaphore) Acquire(ctx context.Context, who Caller, timeout time.Duration) error {
	return s.wait(ctx, who, s.queue(who), timeout)
}

// Yield releases the semaphore to another caller, if one waits that has not taken its share, and acquires it again, before
// all that waits of the same caller. If ctx ends first the error is that of ctx, and the semaphore is released.
func (s *CallerSemaphore) Yield(ctx context.Context, who Caller) error {
	return s.wait(ctx, who, s.requeue(who), 0)
}

// wait waits for a turn; a nil one is there already.
func (s *CallerSemaphore) wait(ctx context.Context, who Caller, turn chan struct{}, timeout time.Duration) error {
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

// requeue releases the semaphore to another caller and returns a channel that is closed when it is acquired again, nil
// if no other caller waits for it.
func (s *CallerSemaphore) requeue(who Caller) (turn chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting.count == 0 {
		return nil
	}
	next, ok := s.waiting.next(func(other Caller) bool { return other != who && s.may(other) })
	if !ok {
		return nil
	}
	s.takeBack(who)
	s.give(next)
	return s.waiting.addFirst(who)
}

// takeBack is the reverse of give.
func (s *CallerSemaphore) takeBack(who Caller) {
	s.taken--
	if !who.isTrusted {
		s.byCaller.Add(who, -1)
	}
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
	s.takeBack(who)
	if s.waiting.count == 0 {
		return
	}
	if next, ok := s.waiting.next(s.may); ok {
		s.give(next)
	}
}
