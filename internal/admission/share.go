package admission

import (
	"errors"
	"sync"
)

var (
	// ErrTotal means that all callers together have reached the limit.
	ErrTotal = errors.New("the limit of all callers is reached")
	// ErrShare means that one caller has reached its share.
	ErrShare = errors.New("the limit of this caller is reached")
)

// Share counts how much of one limit each caller has taken, so that no caller takes more than its share. Trusted callers
// have no share. It is safe for concurrent use.
type Share struct {
	total, each int

	mu       sync.Mutex
	taken    int
	byCaller map[Caller]int // without callers that have taken nothing
}

// NewShare returns a limit of total for all callers together, of which one caller may take at most each.
func NewShare(total, each int) *Share {
	return &Share{total: total, each: each, byCaller: map[Caller]int{}}
}

// Limits returns the limit for all callers together and the share of each.
func (s *Share) Limits() (total, each int) { return s.total, s.each }

// Taken returns how much all callers together have taken within their shares.
func (s *Share) Taken() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken
}

// Bound is how far a caller may take.
type Bound uint8

const (
	// Within ends at the limit and at the share.
	Within Bound = iota
	// Spare is for optional uses: it ends at half of the limit and of the share. Trusted callers may take all.
	Spare
	// Overdraft may exceed the limit and the share, unless one of them is used up already. Trusted callers have no bound.
	Overdraft
	// Reading is Overdraft, except that trusted callers exceed the limit only if nothing is taken yet.
	Reading
	// Always has no bound. The caller can take nothing more until enough is given back.
	Always
)

// Take takes n for a caller. The error is [ErrTotal] or [ErrShare] if that would exceed the bound, except with [Always];
// then nothing is taken. What exceeds the share of the caller does not count against the limit of all callers.
func (s *Share) Take(who Caller, n int, bound Bound) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	total, each := s.total-n, s.each-n // how much may be taken already
	switch {
	case bound == Overdraft || bound == Reading && (!who.isTrusted || s.taken == 0):
		total, each = s.total-1, s.each-1
	case bound == Spare && !who.isTrusted:
		total, each = s.total/2-n, s.each/2-n
	}
	switch {
	case bound == Always || bound == Overdraft && who.isTrusted:
	case s.byCaller[who] > each && !who.isTrusted:
		return ErrShare
	case s.taken > total:
		return ErrTotal
	}
	if who.isTrusted {
		s.taken += n
		return nil
	}
	before := s.byCaller[who]
	after := max(before+n, 0)
	s.taken += min(after, s.each) - min(before, s.each)
	if s.byCaller[who] = after; after == 0 {
		delete(s.byCaller, who)
	}
	return nil
}

// Give gives back n that a caller has taken.
func (s *Share) Give(who Caller, n int) { _ = s.Take(who, -n, Always) }
