package streamhttp

import (
	"fmt"
	"net/netip"
	"sync"
	"testing"
)

// TestPeers: each peer has its own address, also if others are kept in the same place, and while others are asked for.
func TestPeers(t *testing.T) {
	t.Parallel()
	remotes := []string{"", "@", "pipe", "192.0.2.1", "[2001:db8::1]:443", "[fe80::1%eth0]:80", "192.0.2.1:0", "192.0.2.1:99999"}
	for i := range 1000 {
		remotes = append(remotes, fmt.Sprintf("192.0.2.%d:%d", i%7, 30000+13*i))
	}
	var p peers
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				for _, remote := range remotes {
					want, _ := netip.ParseAddrPort(remote)
					if got := p.access(remote); got.Address != want.Addr() || got.Principal != "" || got.Scopes != nil {
						t.Errorf("the access of %q is %+v", remote, got)
					}
				}
			}
		})
	}
	wg.Wait()
}

// TestPeersAllocate: the access of a peer that was there before takes no memory.
func TestPeersAllocate(t *testing.T) {
	var p peers
	if n := testing.AllocsPerRun(100, func() { p.access("192.0.2.1:4711") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
