//go:build !race

// The race detector adds an allocation.

package rawjson_test

import (
	"testing"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// TestCanonicalAllocations checks that a value with sorted members is not copied.
func TestCanonicalAllocations(t *testing.T) {
	text := []byte(`{"a":[{"b":"\n","c":"\"x\""},{"b":1.50}],"d":{}}`)
	const want = 3 // the result, and the list of members, which grows to four
	if got := testing.AllocsPerRun(100, func() { _, _ = rawjson.AppendCanonical(nil, text) }); got > want {
		t.Errorf("a sorted value takes %v allocations, want at most %d", got, want)
	}
}
