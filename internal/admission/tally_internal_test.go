package admission

import (
	"strconv"
	"testing"
)

// TestTally compares a tally with a map, with more callers than it keeps.
func TestTally(t *testing.T) {
	t.Parallel()
	var callers tally
	who := func(key int) Caller { return PrincipalCaller(strconv.Itoa(key)) }
	want := map[int]int64{}
	random := uint64(1)
	for step := range 200_000 {
		random = random*6364136223846793005 + 1442695040888963407
		key, n := int(random>>40%300), int64(random>>33%7)-3
		if n >= 0 && random>>20%4 == 0 {
			ok := callers.addWithin(who(key), n, 5)
			if fits := want[key]+n <= 5; ok != fits {
				t.Fatalf("step %d: %d of %d: %t", step, n, want[key], ok)
			}
			if !ok {
				continue
			}
		} else {
			callers.add(who(key), n)
		}
		want[key] = max(want[key]+n, 0)
		if got := callers.of(who(key)); got != want[key] {
			t.Fatalf("step %d: %d has %d, want %d", step, key, got, want[key])
		}
	}
	for key, n := range want {
		callers.add(who(key), -n)
	}
	// Only a limited number of idle callers is kept.
	for key := range 1000 {
		callers.add(who(1000+key), 1)
		callers.add(who(1000+key), -1)
	}
	if n := len(callers.byCaller); n > maxIdle+1 || callers.len() != 0 {
		t.Errorf("%d callers that have taken nothing are kept", n)
	}
}
