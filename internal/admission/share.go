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
	byCaller tally
}

// NewShare returns a limit of total for all callers together, of which one caller may take at most each.
func NewShare(total, each int) *Share { return &Share{total: total, each: each, byCaller: tally{}} }

// Limits returns the limit for all callers together and the share of each.
func (s *Share) Limits() (total, each int) { return s.total, s.each }

// Taken returns how much all callers together have taken within their shares.
func (s *Share) Taken() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken
}

// Take takes n for a caller. The error is [ErrTotal] or [ErrShare] if that would exceed a limit; then nothing is taken.
func (s *Share) Take(who Caller, n int) error { return s.take(who, n, s.total-n, s.each-n) }

// TakeSpare is Take for optional uses: it takes only from the first half of the limit and of the share. Trusted callers
// may take all.
func (s *Share) TakeSpare(who Caller, n int) error {
	if who.isTrusted {
		return s.Take(who, n)
	}
	return s.take(who, n, s.total/2-n, s.each/2-n)
}

// Overdraw is Force, unless the limit or the share of the caller is used up already: then it takes nothing and returns
// [ErrTotal] or [ErrShare]. Trusted callers are not limited.
func (s *Share) Overdraw(who Caller, n int) error {
	if who.isTrusted {
		s.Force(who, n)
		return nil
	}
	return s.take(who, n, s.total-1, s.each-1)
}

// Read is Overdraw, but also limits trusted callers: they exceed the limit only if nothing is taken yet.
func (s *Share) Read(who Caller, n int) error {
	if who.isTrusted && s.Taken() > 0 {
		return s.Take(who, n)
	}
	return s.Overdraw(who, n)
}

// take takes n, unless all callers together have taken more than total, or the caller more than each.
func (s *Share) take(who Caller, n, total, each int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.byCaller[who] > each && !who.isTrusted:
		return ErrShare
	case s.taken > total:
		return ErrTotal
	}
	s.change(who, n)
	return nil
}

// Force takes n for a caller even beyond the limits. The caller can take nothing more until enough is given back. What
// exceeds its share does not count against the limit of all callers.
func (s *Share) Force(who Caller, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.change(who, n)
}

// Give gives back n that a caller has taken.
func (s *Share) Give(who Caller, n int) { s.Force(who, -n) }

// change adds n to what a caller has taken, and to what all have taken the part of it that is within its share. The
// caller holds s.mu.
func (s *Share) change(who Caller, n int) {
	if who.isTrusted {
		s.taken += n
		return
	}
	before, after := s.byCaller.add(who, n)
	s.taken += min(after, s.each) - min(before, s.each)
}

// tally counts how much each caller has taken. It has no callers that have taken nothing.
type tally map[Caller]int

// add adds n, which may be negative, to the count of a caller, and returns what that was and is now. A count does not go
// below zero.
func (t tally) add(who Caller, n int) (before, after int) {
	before = t[who]
	if after = max(before+n, 0); after == 0 {
		delete(t, who)
	} else {
		t[who] = after
	}
	return before, after
}
