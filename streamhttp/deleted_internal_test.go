package streamhttp

import (
	"crypto/sha256"
	"strconv"
	"testing"
)

// TestDeletedBound: the number of deleted ids is bounded, and the latest one is known.
func TestDeletedBound(t *testing.T) {
	t.Parallel()
	all := sessions{deleted: map[[sha256.Size]byte]struct{}{}}
	for i := range 3 * maxDeleted {
		id := strconv.Itoa(i)
		all.noteDeleted(id)
		_, isKnown := all.deleted[sha256.Sum256([]byte(id))]
		if n := min(i+1, maxDeleted); len(all.deleted) != n || !isKnown {
			t.Fatalf("after %d ids: %d are kept, want %d; the latest is known: %v", i+1, len(all.deleted), n, isKnown)
		}
	}
}
