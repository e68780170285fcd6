package main

import (
	"context"
	"math/rand/v2"
	"testing"
)

// TestSameAnswers runs some cases of each kind twice. Without it, a diff of two commits would show random differences.
func TestSameAnswers(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		seen := map[string]bool{}
		for i := range uint64(40) {
			run := func() (input, answer string) {
				return contained(context.Background(), &generator{rand.New(rand.NewPCG(99, i))}, kind.run)
			}
			input, answer := run()
			if input2, answer2 := run(); input2 != input || answer2 != answer {
				t.Errorf("%s/%d: %s\nfirst:  %s\nsecond: %s", kind.name, i, input, answer, answer2)
			}
			seen[answer] = true
		}
		if len(seen) < 10 {
			t.Errorf("%s: %d different answers in 40 cases", kind.name, len(seen))
		}
	}
}
