package admission

import "net/netip"

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
