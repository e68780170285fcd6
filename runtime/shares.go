package runtime

import "github.com/mcptool-go/mcptool/internal/share"

// shares counts what callers have taken of one limit of the server. Trusted peers take without a share, and without a
// lock.
type shares struct{ *share.Counter[Caller] }

func newShares(total, each int) shares { return shares{share.New[Caller](total, each)} }

// take takes n for a caller, or returns [share.ErrTotal] or [share.ErrShare].
func (s shares) take(who Caller, n int) error {
	if who.isTrusted {
		return s.TakeUnshared(n)
	}
	return s.Take(who, n)
}

// force takes n for a caller, whatever the limits.
func (s shares) force(who Caller, n int) {
	if who.isTrusted {
		s.ForceUnshared(n)
	} else {
		s.Force(who, n)
	}
}

// give gives back n of what a caller has taken.
func (s shares) give(who Caller, n int) {
	if who.isTrusted {
		s.ForceUnshared(-n)
	} else {
		s.Give(who, n)
	}
}
