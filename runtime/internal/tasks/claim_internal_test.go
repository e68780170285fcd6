package tasks

import (
	"testing"
	"time"
)

// TestMayWait: a task waits five minutes for its tool; the time restarts if the task was not seen for a while.
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
		{6 * time.Minute, true}, // the wait restarts
		{9 * time.Minute, true}, // not seen for three minutes, so the wait restarts
		{11 * time.Minute, true},
		{13 * time.Minute, true},
	} {
		if got := ts.mayWait("a", began.Add(step.after)); got != step.want {
			t.Errorf("after %v: mayWait = %t, want %t", step.after, got, step.want)
		}
	}
	if len(ts.unfit) != 1 {
		t.Errorf("%d tasks are recorded, want 1", len(ts.unfit))
	}
	ts.mayWait("b", began.Add(time.Hour))
	if _, ok := ts.unfit["a"]; ok {
		t.Error("a task that was not seen for an hour is still recorded")
	}
}
