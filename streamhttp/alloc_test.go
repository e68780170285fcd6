//go:build !race

// The race detector drops pooled items at random, which adds allocations.

package streamhttp_test

import (
	"net/http"
	"testing"
)

// TestPostAllocations limits what the handler allocates for a quick call, net/http excluded. Two allocations are the
// keepalive timer; one is the caller's address.
func TestPostAllocations(t *testing.T) {
	p := newPoster(t)
	if n := testing.AllocsPerRun(1000, func() {
		if status := p.post(); status != http.StatusOK {
			t.Fatal("status ", status)
		}
	}); n > 14 {
		t.Errorf("%v allocations, want at most 14", n)
	}
}
