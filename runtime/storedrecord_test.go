package runtime_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/task"
)

// confused is a store that returns records of other tasks.
type confused struct{ task.Store }

func (s confused) Get(ctx context.Context, id string) (task.Record, error) {
	r, err := s.Store.Get(ctx, id)
	r.ID, r.Message = "other", "banana"
	return r, err
}

func (s confused) Wait(ctx context.Context, id string, seen uint64) (task.Record, error) {
	r, err := s.Store.Wait(ctx, id, seen)
	r.ID, r.Message = "other", "banana"
	return r, err
}

// TestTaskStoreConfused: the record of another task is not sent. It is a failure of the store, which is logged without the
// id, and the session continues.
func TestTaskStoreConfused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := taskServer(t, brief(t))
		srv.Tasks = tasks.New(confused{task.NewMemory(task.MemoryLimits{})})
		log := logged(srv, slog.LevelError)
		w := open(t, srv)
		w.send(tasked("1", "tools/call", `,"name":"brief"`))
		id, _ := taskOf(t, w.next())
		w.send(tasked("2", "tasks/get", `,"taskId":"`+id+`"`))
		if got := w.want("the task cannot be looked up"); strings.Contains(got, "banana") {
			t.Errorf("got %s, want no data of the other task", got)
		}
		if !strings.Contains(log.String(), "the record of another task") || strings.Contains(log.String(), id) {
			t.Errorf("log lacks the reason, or has the id: %s", log)
		}
	})
}
