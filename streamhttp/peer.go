package streamhttp

import (
	"net/netip"
	"strings"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/runtime"
)

// peers caches the access of peers that are identified only by their address. A client sends many requests over one
// connection, and parsing its address for each of them would take about 800 instructions and an allocation. The zero
// value is ready to use.
type peers struct {
	recent [256]atomic.Pointer[peer] // by place
}

// peer is the other end of a connection.
type peer struct {
	remote string // RemoteAddr of net/http
	access *runtime.Access
}

// maxRemote is the maximum length of a cached address, in bytes. Addresses of net/http are shorter, but middleware may
// set another one, or a part of a long header.
const maxRemote = 64

// access returns the access of the peer with this address and port.
func (p *peers) access(remote string) *runtime.Access {
	slot := &p.recent[place(remote)]
	if known := slot.Load(); known != nil && known.remote == remote {
		return known.access
	}
	access := &runtime.Access{Address: addressOf(remote)} // may outlive the peer in the cache
	if len(remote) <= maxRemote {
		slot.Store(&peer{strings.Clone(remote), access})
	}
	return access
}

// place returns the index of a peer in the cache. Peers with the same address differ in their ports, often by two.
func place(remote string) (at uint8) {
	const digits = 4
	var port uint
	for i := max(len(remote)-digits, 0); i < len(remote); i++ {
		port = 10*port + uint(remote[i]&15)
	}
	return uint8(port/2) ^ uint8(port<<7)
}

// addressOf returns the address without the port. It is invalid if the connection is not a network connection.
func addressOf(remote string) netip.Addr {
	peer, _ := netip.ParseAddrPort(remote)
	return peer.Addr()
}
