package limit

import "github.com/mcptool-go/mcptool/internal/share"

// Shares counts how much of one limit of the server each caller uses, so that no caller exceeds its share. Trusted
// callers have no share and do not take the lock. It is safe for concurrent use.
type Shares struct{ counter *share.Counter[Caller] }

// NewShares returns a limit of total for all callers together, of which one caller may take at most each.
func NewShares(total, each int) Shares { return Shares{share.New[Caller](total, each)} }

// Take takes n for a caller, or returns [share.ErrTotal] or [share.ErrShare].
func (s Shares) Take(who Caller, n int) error {
	if who.isTrusted {
		return s.counter.TakeUnshared(n)
	}
	return s.counter.Take(who, n)
}

// TakeSpare is Take for optional uses: it takes only from the first half of the limit and of the caller's share.
// Trusted callers may take all.
func (s Shares) TakeSpare(who Caller, n int) error {
	if who.isTrusted {
		return s.counter.TakeUnshared(n)
	}
	return s.counter.TakeSpare(who, n)
}

// Force takes n for a caller, even beyond the limits.
func (s Shares) Force(who Caller, n int) {
	if who.isTrusted {
		s.counter.ForceUnshared(n)
	} else {
		s.counter.Force(who, n)
	}
}

// Overdraw is Force, unless the limit or the caller's share is used up already: then it takes nothing and returns
// [share.ErrTotal] or [share.ErrShare]. Trusted callers are not limited.
func (s Shares) Overdraw(who Caller, n int) error {
	if who.isTrusted {
		s.counter.ForceUnshared(n)
		return nil
	}
	return s.counter.Overdraw(who, n)
}

// Read is Overdraw, but also limits trusted callers: they exceed the limit only if nothing is taken yet.
func (s Shares) Read(who Caller, n int) error {
	if who.isTrusted && s.Taken() > 0 {
		return s.counter.TakeUnshared(n)
	}
	return s.Overdraw(who, n)
}

// Give gives back n that a caller has taken.
func (s Shares) Give(who Caller, n int) {
	if who.isTrusted {
		s.counter.ForceUnshared(-n)
	} else {
		s.counter.Give(who, n)
	}
}

// Taken returns how much all callers together have taken.
func (s Shares) Taken() int { return s.counter.Taken() }

// Limits returns the limits for all callers together and for each of them.
func (s Shares) Limits() (total, each int) { return s.counter.Limits() }
