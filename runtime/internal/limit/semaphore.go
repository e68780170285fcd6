package limit

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var (
	// ErrFull means that the queue of a semaphore is full.
	ErrFull = errors.New("no more may wait")
	// ErrTimeout means that a semaphore was not acquired in time.
	ErrTimeout = errors.New("not acquired in time")
)

// Semaphore bounds how many calls of one tool run at once. Acquiring it does not take a lock unless it is full. It is
// safe for concurrent use.
type Semaphore struct {
	size int64

	// taken is the number of acquired units, with the bit queued set while the queue is not empty. Then all units are
	// acquired, and taken changes only under mu.
	taken atomic.Int64

	mu      sync.Mutex
	waiting waitQueue
}

// queued is larger than any size.
const queued = 1 << 62

// NewSemaphore returns a semaphore with this size. At most room acquisitions may wait for it, and at most each of one
// caller.
func NewSemaphore(size, room, each int) *Semaphore {
	return &Semaphore{size: int64(size), waiting: waitQueue{room: room, each: each}}
}

// Size returns how many calls may hold the semaphore at once.
func (s *Semaphore) Size() int { return int(s.size) }

// TryAcquire acquires the semaphore without waiting, and reports whether it did. It fails if the semaphore is full or
// its queue is not empty.
func (s *Semaphore) TryAcquire() bool {
	for {
		taken := s.taken.Load()
		if taken >= s.size {
			return false
		}
		if s.taken.CompareAndSwap(taken, taken+1) {
			return true
		}
	}
}

// Queue joins the queue for the semaphore and returns the turn for Wait. If both results are nil, the semaphore is
// acquired already, and Wait must not be called. The error is [ErrFull].
func (s *Semaphore) Queue(who Caller) (turn chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.waiting.count == 0 && !s.taken.CompareAndSwap(s.size, s.size|queued) {
		if s.TryAcquire() {
			return nil, nil
		}
	}
	if turn = s.waiting.add(who); turn == nil {
		s.settle()
		return nil, ErrFull
	}
	return turn, nil
}

// Wait waits for a turn that Queue has returned, until the semaphore is acquired. The error is [ErrTimeout] after
// timeout, where zero means no timeout, or the error of ctx if that ends first.
func (s *Semaphore) Wait(ctx context.Context, who Caller, turn chan struct{}, timeout time.Duration) error {
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
		s.Release() // acquired at the same time
	}
	return err
}

// abandon leaves the queue. It reports false if the semaphore has been acquired already.
func (s *Semaphore) abandon(who Caller, turn chan struct{}) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.waiting.remove(who, turn) {
		return false
	}
	s.settle()
	return true
}

// Release hands the semaphore to the next acquisition in the queue, or frees it.
func (s *Semaphore) Release() {
	for {
		taken := s.taken.Load()
		if taken >= queued {
			break
		}
		if s.taken.CompareAndSwap(taken, taken-1) {
			return
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.waiting.next(nil); !ok { // the queue has become empty meanwhile
		s.taken.Add(-1)
		return
	}
	s.settle()
}

// settle clears the bit queued of s.taken if the queue is empty. s.mu must be locked.
func (s *Semaphore) settle() {
	if s.waiting.count == 0 {
		s.taken.Store(s.size)
	}
}
