package outbound

import "net/netip"

// IsShared reports whether many clients may have an address: it is unknown, or a local or private one, which may belong to a
// reverse proxy.
func IsShared(addr netip.Addr) bool {
	addr = addr.Unmap()
	return !addr.IsValid() || addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast()
}
