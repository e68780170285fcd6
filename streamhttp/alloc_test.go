//go:build !race

// The race detector drops what pools hold at random, and so makes more allocations.

package streamhttp_test

import (
	"net/http"
	"testing"
)

// TestPostAllocations is the budget of what the handler adds to net/http for a quick call. Two are the timer of the
// keepalive comments, one is the address of the caller.
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
