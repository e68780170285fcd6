package hang

import (
	"strings"
	"testing"
	"time"
)

// TestLook calls look once and then several more times.
func TestLook(t *testing.T) {
	t.Parallel()
	const slice = Limit / 10
	type look struct {
		used  time.Duration // processor time since the previous look
		marks int           // fuzz calls begun and ended since then
	}
	for _, tt := range []struct {
		name, reason string
		first, then  look
		times        int
		want         string
	}{
		{"quick ones", "each has the time for itself", look{marks: 1}, look{2 * Limit, 2}, 100, ""},
		{"idle", "between executions the time is the fuzzer's own", look{marks: 2}, look{2 * Limit, 0}, 100, ""},
		{"slow", "not too slow", look{marks: 1}, look{slice, 0}, 10, ""},
		{"too slow", "beyond the limit", look{marks: 1}, look{slice, 0}, 11, "processor time"},
		{"after others", "whose time is not counted", look{100 * Limit, 1}, look{slice, 0}, 10, ""},
		{"halted", "the machine was", look{marks: 1}, look{10 * Limit, 0}, minTicks - 1, ""},
		{"waiting", "as long as it may", look{marks: 1}, look{}, maxWait, ""},
		{"waiting for ever", "a tick longer", look{marks: 1}, look{}, maxWait + 1, "does not come"},
	} {
		w := new(watcher)
		now := time.Duration(0)
		next := func(l look) string {
			now += l.used
			w.marks.Add(uint64(l.marks))
			return w.look(now)
		}
		got := next(tt.first)
		for range tt.times {
			got += next(tt.then)
		}
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q: %s", tt.name, got, tt.want, tt.reason)
		}
	}
}

// TestProcessorTime checks that the processor time increases while code runs.
func TestProcessorTime(t *testing.T) {
	t.Parallel()
	before := ProcessorTime()
	if before == 0 {
		t.Skip("the processor time of the process is not available")
	}
	for until := time.Now().Add(10 * time.Second); ProcessorTime() <= before; {
		if time.Now().After(until) {
			t.Fatalf("the processor time stays at %v", before)
		}
	}
}
