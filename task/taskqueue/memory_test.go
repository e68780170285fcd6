package taskqueue_test

import (
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/taskqueue"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	tasktest.RunQueue(t, func(*testing.T) task.Queue { return taskqueue.NewMemory(task.MemoryLimits{}, time.Second) })
}

// TestNegativeLease checks that NewMemory and NewLeases panic for a negative duration.
func TestNegativeLease(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(){
		"NewMemory": func() { taskqueue.NewMemory(task.MemoryLimits{}, -time.Second) },
		"NewLeases": func() { taskqueue.NewLeases(-time.Second) },
	} {
		func() {
			defer func() {
				const want = "taskqueue: lease is -1s, but must not be negative; 0 means the default, 15s"
				if err, _ := recover().(error); err == nil || err.Error() != want {
					t.Errorf("%s: panic: %v, want %s", name, err, want)
				}
			}()
			make()
		}()
	}
	if got := taskqueue.NewLeases(0).Time(); got != 15*time.Second {
		t.Errorf("the default of a lease is %v, want 15s", got)
	}
}
