package admission

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	// ErrTotal means that all callers together have reached the limit.
	ErrTotal = errors.New("the limit of all callers is reached")
	// ErrShare means that one caller has reached its share.
	ErrShare = errors.New("the limit of this caller is reached")
)

// Share counts how much of one limit each caller has taken, so that no caller takes more than its share. Trusted callers
// have no share and take no lock. It is safe for concurrent use.
type Share struct {
	total, each int64
	taken       atomic.Int64

	mu       sync.Mutex
	byCaller tally
}

// NewShare returns a limit of total for all callers together, of which one caller may take at most each.
func NewShare(total, each int) *Share { return &Share{total: int64(total), each: int64(each)} }

// Limits returns the limit for all callers together and the share of each.
func (s *Share) Limits() (total, each int) { return int(s.total), int(s.each) }

// Taken returns how much all callers together have taken within their shares.
func (s *Share) Taken() int { return int(s.taken.Load()) }

// Take takes n for a caller. The error is [ErrTotal] or [ErrShare] if that would exceed a limit; then nothing is taken.
func (s *Share) Take(who Caller, n int) error { return s.take(who, int64(n), s.total, s.each) }

// TakeSpare is Take for optional uses: it takes only from the first half of the limit and of the share. Trusted callers
// may take all.
func (s *Share) TakeSpare(who Caller, n int) error {
	if who.isTrusted {
		return s.Take(who, n)
	}
	return s.take(who, int64(n), s.total/2, s.each/2)
}

func (s *Share) take(who Caller, n, total, each int64) error {
	if !who.isTrusted {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.byCaller.addWithin(who, n, each) {
			return ErrShare
		}
	}
	for {
		taken := s.taken.Load()
		if taken+n > total {
			break
		}
		if s.taken.CompareAndSwap(taken, taken+n) {
			return nil
		}
	}
	if !who.isTrusted {
		s.byCaller.add(who, -n)
	}
	return ErrTotal
}

// Overdraw is Force, unless the limit or the share of the caller is used up already: then it takes nothing and returns
// [ErrTotal] or [ErrShare]. Trusted callers are not limited.
func (s *Share) Overdraw(who Caller, n int) error {
	if who.isTrusted {
		s.taken.Add(int64(n))
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.byCaller.of(who) >= s.each:
		return ErrShare
	case s.taken.Load() >= s.total:
		return ErrTotal
	}
	s.change(who, int64(n))
	return nil
}

// Read is Overdraw, but also limits trusted callers: they exceed the limit only if nothing is taken yet.
func (s *Share) Read(who Caller, n int) error {
	if who.isTrusted && s.Taken() > 0 {
		return s.Take(who, n)
	}
	return s.Overdraw(who, n)
}

// Force takes n for a caller even beyond the limits. The caller can take nothing more until enough is given back. What
// exceeds its share does not count against the limit of all callers.
func (s *Share) Force(who Caller, n int) {
	if who.isTrusted {
		s.taken.Add(int64(n))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.change(who, int64(n))
}

// Give gives back n that a caller has taken.
func (s *Share) Give(who Caller, n int) { s.Force(who, -n) }

// change adds n to what a caller has taken, and to what all have taken the part of it that is within its share. The
// caller holds s.mu.
func (s *Share) change(who Caller, n int64) {
	before, after := s.byCaller.add(who, n)
	s.taken.Add(min(after, s.each) - min(before, s.each))
}
