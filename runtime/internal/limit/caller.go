package limit

import "net/netip"

// Caller identifies whose share of the limits something counts against. Callers are comparable, and equal if they share.
// The zero value is every unauthenticated caller whose address is unknown.
type Caller struct {
	principal string
	address   netip.Addr // of callers without a principal
	isTrusted bool
}

// TrustedCaller returns the caller that stands for all trusted peers. It is not limited to a share.
func TrustedCaller() Caller { return Caller{isTrusted: true} }

// PrincipalCaller returns the caller with this authenticated principal.
func PrincipalCaller(principal string) Caller { return Caller{principal: principal} }

// AddressCaller returns the unauthenticated caller at an address. IPv6 addresses of one /64 network are one caller, since
// a host commonly has all of them. All loopback addresses are one caller, since any local process can use all of them.
func AddressCaller(addr netip.Addr) Caller {
	addr = addr.Unmap().WithZone("")
	if addr.IsLoopback() {
		return Caller{address: netip.IPv6Loopback()}
	}
	if addr.Is6() {
		prefix, _ := addr.Prefix(64) // every IPv6 address has one
		addr = prefix.Addr()
	}
	return Caller{address: addr}
}
