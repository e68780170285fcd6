package task_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// contested is a store whose record somebody else always changes first. It ignores contexts.
type contested struct {
	task.Store
	updates *int
}

func (contested) Get(context.Context, string) (task.Record, error) {
	return tasktest.Record("a", "ann", time.Hour), nil
}

func (s contested) Update(context.Context, task.Record) (task.Record, error) {
	*s.updates++
	return task.Record{}, task.ErrConflict
}

// TestChangeConflicts: Change ends with its context also if the store conflicts forever, and does not spin meanwhile.
func TestChangeConflicts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		updates := 0
		_, err := task.Change(ctx, contested{updates: &updates}, "a", func(r *task.Record) error { r.Asked++; return nil })
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, task.ErrConflict) {
			t.Errorf("got the error %v", err)
		}
		if updates < 10 || updates > 200 {
			t.Errorf("it tried %d times in 10 s", updates)
		}
	})
}
