package limit

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var (
	// ErrFull means that no more may wait for a semaphore.
	ErrFull = errors.New("no more may wait")
	// ErrTimeout means that a semaphore was not acquired in time.
	ErrTimeout = errors.New("not acquired in time")
)

// Semaphore bounds how many calls of one tool run at once. Acquiring a free one takes no lock. It is safe for concurrent
// use.
type Semaphore struct {
	size int64

	// taken is how many are acquired, plus queued while others wait. Then all are acquired, and it changes only under mu.
	taken atomic.Int64

	mu      sync.Mutex
	waiting waitQueue
}

// queued is larger than any size.
const queued = 1 << 62

// NewSemaphore returns a semaphore of a size. At most room acquisitions may wait for it, and each of one caller.
func NewSemaphore(size, room, each int) *Semaphore {
	return &Semaphore{size: int64(size), waiting: waitQueue{room: room, each: each}}
}

// Size returns how many may hold the semaphore at once.
func (s *Semaphore) Size() int { return int(s.size) }

// TryAcquire acquires the semaphore if it is free and nobody waits for it.
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

// Queue joins the queue for the semaphore; the caller then calls Wait. A nil turn and a nil error mean that it has become
// free, and is acquired. The error is [ErrFull].
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

// Wait waits for a turn that Queue has returned: until it is acquired, ctx ends, or timeout has passed; a timeout of zero
// is none. The error is that of ctx, or [ErrTimeout].
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
		s.Release() // it was acquired at the same time
	}
	return err
}

// abandon leaves the queue; it reports false if the semaphore was acquired already.
func (s *Semaphore) abandon(who Caller, turn chan struct{}) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.waiting.remove(who, turn) {
		return false
	}
	s.settle()
	return true
}

// Release hands the semaphore to the next one in the queue, or frees it.
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
	if _, ok := s.waiting.next(nil); !ok { // the queue has emptied meanwhile
		s.taken.Add(-1)
		return
	}
	s.settle()
}

// settle clears the mark when the queue is empty. The caller holds s.mu.
func (s *Semaphore) settle() {
	if s.waiting.count == 0 {
		s.taken.Store(s.size)
	}
}
