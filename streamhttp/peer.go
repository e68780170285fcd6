package streamhttp

import (
	"net/netip"
	"strings"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/runtime"
)

// peers keeps the access of peers of which nothing but the address is known. A client sends many requests over one
// connection, and to read its address for each of them would take some 800 instructions and an allocation. The zero value is
// ready to use.
type peers struct {
	recent [256]atomic.Pointer[peer] // by place
}

// peer is the other end of a connection.
type peer struct {
	remote string // as net/http has it
	access *runtime.Access
}

// maxRemote is the longest address of a peer that is kept, in bytes. That of net/http is shorter, but middleware may set
// another one, or a part of a long header.
const maxRemote = 64

// access returns the access of the peer with this address and port.
func (p *peers) access(remote string) *runtime.Access {
	slot := &p.recent[place(remote)]
	if known := slot.Load(); known != nil && known.remote == remote {
		return known.access
	}
	access := &runtime.Access{Address: addressOf(remote)} // which may be kept for longer than the peer
	if len(remote) <= maxRemote {
		slot.Store(&peer{strings.Clone(remote), access})
	}
	return access
}

// place returns where a peer is kept. Those of one address differ by their ports, often by two.
func place(remote string) (at uint8) {
	const digits = 4
	var port uint
	for i := max(len(remote)-digits, 0); i < len(remote); i++ {
		port = 10*port + uint(remote[i]&15)
	}
	return uint8(port/2) ^ uint8(port<<7)
}

// addressOf returns the address in an address with a port. It is invalid if the connection is not of a network.
func addressOf(remote string) netip.Addr {
	peer, _ := netip.ParseAddrPort(remote)
	return peer.Addr()
}
