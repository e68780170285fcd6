package runtime

import "net/netip"

// Caller identifies whose share of the limits something counts against, see [CallerLimits]. Callers are comparable, and
// equal if they share. The zero value is every unauthenticated caller whose address is unknown.
type Caller struct {
	principal string
	address   netip.Addr // of callers without a principal
	isTrusted bool
}

// Caller returns whose share of the limits a message with this access counts against: that of its principal, or of its
// address if there is no principal. IPv6 addresses of one /64 network are one caller, since a host commonly has all of
// them. Nil is a peer that the transport trusts, which is not limited to a share.
func (a *Access) Caller() Caller {
	switch {
	case a == nil:
		return Caller{isTrusted: true}
	case a.Principal != "":
		return Caller{principal: a.Principal}
	default:
		return Caller{address: network(a.Address)}
	}
}

// network returns what the addresses of one host have in common.
func network(addr netip.Addr) netip.Addr {
	addr = addr.Unmap().WithZone("")
	if addr.Is6() {
		prefix, _ := addr.Prefix(64) // which every IPv6 address has
		return prefix.Addr()
	}
	return addr
}
