package admission

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"
)

var (
	// ErrFull means that no more acquisitions may wait for a semaphore.
	ErrFull = errors.New("no more may wait")
	// ErrTimeout means that a semaphore was not acquired in time.
	ErrTimeout = errors.New("not acquired in time")
)

// Semaphore bounds how many calls run at once, in total and of each caller. Those that wait are served in order, but
// callers take turns. Trusted callers are bounded only by the total. It is safe for concurrent use.
type Semaphore struct {
	size, each int

	mu       sync.Mutex
	taken    int
	byCaller tally // how many each caller holds
	waiting  waitQueue
}

// NewSemaphore returns a semaphore with this size, of which each caller may hold at most each. Any number may wait.
func NewSemaphore(size, each int) *Semaphore {
	return NewQueuedSemaphore(size, each, math.MaxInt, math.MaxInt)
}

// NewQueuedSemaphore is [NewSemaphore] with a limit of how many may wait: room in total, and eachWaiting of one caller.
func NewQueuedSemaphore(size, each, room, eachWaiting int) *Semaphore {
	return &Semaphore{size: size, each: each, waiting: waitQueue{room: room, each: eachWaiting}}
}

// Limits returns the size of the semaphore and how many units of it one caller may hold.
func (s *Semaphore) Limits() (size, each int) { return s.size, s.each }

// Acquire waits until it acquires the semaphore: it is [Semaphore.Queue] and [Semaphore.Wait].
func (s *Semaphore) Acquire(ctx context.Context, who Caller, timeout time.Duration) error {
	turn, err := s.Queue(who)
	if turn == nil {
		return err
	}
	return s.Wait(ctx, who, turn, timeout)
}

// Queue joins the queue for the semaphore and returns the turn for Wait. A nil turn means that the semaphore is acquired
// already, or that the error is [ErrFull].
func (s *Semaphore) Queue(who Caller) (turn chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.give(who) {
		return nil, nil
	}
	if turn = s.waiting.add(who); turn == nil {
		return nil, ErrFull
	}
	return turn, nil
}

// Wait waits for a turn that Queue has returned, until the semaphore is acquired. The error is [ErrTimeout] after
// timeout, where zero means no timeout, or the error of ctx if that ends first.
func (s *Semaphore) Wait(ctx context.Context, who Caller, turn chan struct{}, timeout time.Duration) (err error) {
	var expired <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-expired:
		err = ErrTimeout
	}
	if !s.abandon(who, turn) {
		s.Release(who) // acquired at the same time
	}
	return err
}

// give gives the semaphore to a caller, unless it is full or the caller has taken its share. s.mu must be locked.
func (s *Semaphore) give(who Caller) bool {
	if s.taken >= s.size || !who.isTrusted && !s.byCaller.addWithin(who, 1, int64(s.each)) {
		return false
	}
	s.taken++
	return true
}

// may reports whether a caller has not taken all of its share. s.mu must be locked.
func (s *Semaphore) may(who Caller) bool {
	return who.isTrusted || s.byCaller.of(who) < int64(s.each)
}

// abandon leaves the queue. It reports false if the semaphore has been acquired already.
func (s *Semaphore) abandon(who Caller, turn chan struct{}) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting.remove(who, turn)
}

// Release releases the semaphore and hands it to the next waiting caller that has not taken its share.
func (s *Semaphore) Release(who Caller) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	if !who.isTrusted {
		s.byCaller.add(who, -1)
	}
	if s.waiting.count == 0 {
		return
	}
	if next, ok := s.waiting.next(s.may); ok {
		s.give(next)
	}
}
