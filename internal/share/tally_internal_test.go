package share

import "testing"

// TestTally compares a tally with a map, with more callers than it keeps.
func TestTally(t *testing.T) {
	t.Parallel()
	var tally Tally[int]
	want := map[int]int64{}
	random := uint64(1)
	for step := range 200_000 {
		random = random*6364136223846793005 + 1442695040888963407
		key, n := int(random>>40%300), int64(random>>33%7)-3
		if n >= 0 && random>>20%4 == 0 {
			ok := tally.AddWithin(key, n, 5)
			if fits := want[key]+n <= 5; ok != fits {
				t.Fatalf("step %d: %d of %d: %t", step, n, want[key], ok)
			}
			if !ok {
				continue
			}
		} else {
			tally.Add(key, n)
		}
		want[key] = max(want[key]+n, 0)
		if got := tally.Of(key); got != want[key] {
			t.Fatalf("step %d: %d has %d, want %d", step, key, got, want[key])
		}
	}
	for key, n := range want {
		tally.Add(key, -n)
	}
	// Only a limited number of idle callers is kept.
	for key := range 1000 {
		tally.Add(1000+key, 1)
		tally.Add(1000+key, -1)
	}
	if n := len(tally.byKey); n > maxIdle+1 || tally.Len() != 0 {
		t.Errorf("%d callers that have taken nothing are kept", n)
	}
}
