package admission

import (
	"errors"
	"net/netip"
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

// Caller identifies the caller whose share of the limits is used. Callers that are equal (==) have one share. All
// unauthenticated callers whose address is unknown are the zero value.
type Caller struct {
	tenant    string // of the principal
	principal string
	address   netip.Addr // of an unauthenticated caller
	isTrusted bool
}

// Trusted is the caller for all trusted peers, which is not limited to a share.
var Trusted = Caller{isTrusted: true}

// PrincipalCaller returns the caller with this authenticated principal, which acts for a tenant; "" if there is none.
func PrincipalCaller(tenant, principal string) Caller {
	return Caller{tenant: tenant, principal: principal}
}

// AddressCaller returns the unauthenticated caller at an address. IPv6 addresses of one /64 network are one caller,
// because a host usually has all of them. So are all loopback addresses, because any local process can use all of them.
func AddressCaller(addr netip.Addr) Caller {
	addr = addr.Unmap().WithZone("")
	if addr.IsLoopback() {
		return Caller{address: netip.IPv6Loopback()}
	}
	if addr.Is6() {
		prefix, _ := addr.Prefix(64) // cannot fail for an IPv6 address
		addr = prefix.Addr()
	}
	return Caller{address: addr}
}
