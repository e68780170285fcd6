package runtime

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/share"
)

// slots is how many calls of an endpoint run at once, and of each caller. Calls beyond that wait for maxWait, as many as
// are in flight, and callers take turns.
type slots struct {
	most, each int

	mu       sync.Mutex
	taken    int
	byCaller share.Tally[Caller] // how many each caller has taken
	waiting  waitlist
}

func newSlots(l *Limits) *slots {
	return &slots{
		most: l.Stateless, each: l.PerCaller.Stateless,
		waiting: waitlist{room: math.MaxInt, each: math.MaxInt},
	}
}

// enter waits for a slot for c, and reports whether it has one. The error is a [busyError] if there was none in time; a
// call that has ended before finds out by itself.
func (s *slots) enter(c *call) (has bool, err error) {
	who := c.access.Caller()
	turn := s.take(who)
	if turn == nil {
		return true, nil
	}
	late := time.NewTimer(maxWait)
	defer late.Stop()
	select {
	case <-turn:
		return true, nil
	case <-c.Done():
	case <-late.C:
		err = &busyError{fmt.Sprintf("the server is busy: it runs %d calls at once, %d of one caller, and this one has waited for %v; call again later", s.most, s.each, maxWait)}
	}
	if !s.giveUp(who, turn) {
		return true, nil // the turn came at the same time
	}
	return false, err
}

// take takes a slot, or returns a turn to wait for.
func (s *slots) take(who Caller) (turn chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken >= s.most || !s.give(who) {
		return s.waiting.add(who) // who waits while there are free slots has taken its share
	}
	return nil
}

// give gives a free slot to a caller, unless it has taken its share. The caller of it holds s.mu.
func (s *slots) give(who Caller) bool {
	if !who.isTrusted && !s.byCaller.AddWithin(who, 1, int64(s.each)) {
		return false
	}
	s.taken++
	return true
}

// may reports whether a caller has not taken all of its share. The caller holds s.mu.
func (s *slots) may(who Caller) bool { return who.isTrusted || s.byCaller.Of(who) < int64(s.each) }

// giveUp no longer waits for the turn; it reports whether it had not come.
func (s *slots) giveUp(who Caller, turn chan struct{}) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting.remove(who, turn)
}

// leave gives a slot back, and then to who is next.
func (s *slots) leave(who Caller) {
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
