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
