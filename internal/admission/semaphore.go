package admission

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"
)

var (
	// ErrFull means that no more acquisitions may wait for a semaphore.
	ErrFull = errors.New("no more may wait")
	// ErrTimeout means that a semaphore was not acquired in time.
	ErrTimeout = errors.New("not acquired in time")
)

// Semaphore bounds how many calls run at once. Callers that wait are served round-robin, and the calls of one caller in
// order, so a caller with many calls delays the next call of another by only one. It is safe for concurrent use.
type Semaphore struct {
	size              int
	room, eachWaiting int // how many may wait, in total and of each caller; trusted callers are bounded only by the total

	mu      sync.Mutex
	taken   int
	waiting int     // acquisitions that wait
	lines   []*line // one for each waiting caller; the first one is served next
}

// line is the queue of one caller, oldest first. It is not empty.
type line struct {
	caller Caller
	turns  []chan struct{} // one for each acquisition, closed when it is served
}

// NewSemaphore returns a semaphore with this size. Any number may wait.
func NewSemaphore(size int) *Semaphore { return NewQueuedSemaphore(size, math.MaxInt, math.MaxInt) }

// NewQueuedSemaphore is [NewSemaphore] with a limit of how many may wait: room in total, and eachWaiting of one caller.
func NewQueuedSemaphore(size, room, eachWaiting int) *Semaphore {
	return &Semaphore{size: size, room: room, eachWaiting: eachWaiting}
}

// Size returns the size of the semaphore.
func (s *Semaphore) Size() int { return s.size }

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
	if s.taken < s.size {
		s.taken++
		return nil, nil
	}
	i := s.lineOf(who)
	if s.waiting >= s.room || i >= 0 && len(s.lines[i].turns) >= s.eachWaiting && !who.isTrusted {
		return nil, ErrFull
	}
	return s.join(who, false), nil
}

// Rejoin is Queue for a call that has acquired the semaphore before and released it while it could not continue. It never
// fails, and the call is the first of its caller.
func (s *Semaphore) Rejoin(who Caller) (turn chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken < s.size {
		s.taken++
		return nil
	}
	return s.join(who, true)
}

// join adds a turn to the line of a caller, as its first or last one. s.mu must be locked.
func (s *Semaphore) join(who Caller, asFirst bool) (turn chan struct{}) {
	i := s.lineOf(who)
	if i < 0 {
		i = len(s.lines)
		s.lines = append(s.lines, &line{caller: who})
	}
	l, at := s.lines[i], len(s.lines[i].turns)
	if asFirst {
		at = 0
	}
	turn = make(chan struct{})
	l.turns = slices.Insert(l.turns, at, turn)
	s.waiting++
	return turn
}

// Wait waits for a turn that Queue has returned, until the semaphore is acquired. The error is [ErrTimeout] after
// timeout, where zero means no timeout, or the error of ctx if that ends first.
func (s *Semaphore) Wait(ctx context.Context, who Caller, turn chan struct{}, timeout time.Duration) (err error) {
	var expired <-chan time.Time
	if timeout > 0 {
		expired = time.After(timeout)
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
		s.Release() // acquired at the same time
	}
	return err
}

// lineOf returns the index of the line of a caller, -1 if it has none. s.mu must be locked.
func (s *Semaphore) lineOf(who Caller) int {
	return slices.IndexFunc(s.lines, func(l *line) bool { return l.caller == who })
}

// abandon leaves the queue. It reports false if the semaphore has been acquired already.
func (s *Semaphore) abandon(who Caller, turn chan struct{}) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.lineOf(who)
	if i < 0 {
		return false
	}
	l := s.lines[i]
	j := slices.Index(l.turns, turn)
	if j < 0 {
		return false
	}
	if l.turns = slices.Delete(l.turns, j, j+1); len(l.turns) == 0 {
		s.lines = slices.Delete(s.lines, i, i+1)
	}
	s.waiting--
	return true
}

// Release releases the semaphore and hands it to the next waiting caller.
func (s *Semaphore) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.lines) == 0 {
		s.taken--
		return
	}
	l := s.lines[0]
	s.lines = slices.Delete(s.lines, 0, 1)
	close(l.turns[0])
	if l.turns = slices.Delete(l.turns, 0, 1); len(l.turns) > 0 { // the caller waits again, behind the others
		s.lines = append(s.lines, l)
	}
	s.waiting--
}
