package tasks

import (
	"testing"
	"time"
)

// TestMayWait: a task waits for five minutes for its tool, and anew if it was run elsewhere meanwhile.
func TestMayWait(t *testing.T) {
	t.Parallel()
	ts := &Tasks{unfit: map[string]unfit{}}
	began := time.Now()
	for _, step := range []struct {
		after time.Duration
		want  bool
	}{
		{0, true},
		{2 * time.Minute, true},
		{4 * time.Minute, true},
		{4*time.Minute + 59*time.Second, true},
		{5 * time.Minute, false},
		{6 * time.Minute, true}, // it was not ended
		{9 * time.Minute, true}, // not seen for three minutes
		{11 * time.Minute, true},
		{13 * time.Minute, true},
	} {
		if got := ts.mayWait("a", began.Add(step.after)); got != step.want {
			t.Errorf("after %v: %t, want %t", step.after, got, step.want)
		}
	}
	if len(ts.unfit) != 1 {
		t.Errorf("%d tasks are noted, want 1", len(ts.unfit))
	}
	ts.mayWait("b", began.Add(time.Hour))
	if _, ok := ts.unfit["a"]; ok {
		t.Error("a task that was not seen for long is still noted")
	}
}
