package task_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/taskqueue"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// contested is a store in which every update conflicts. It ignores contexts.
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

// TestChangeConflicts checks that Change ends with its context if every update conflicts, and does not spin.
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

// claimedMeanwhile is a store in which the next run of a task begins between the first Get and Update.
type claimedMeanwhile struct {
	task.Queue
	t       *testing.T
	claimed bool
}

func (s *claimedMeanwhile) Update(ctx context.Context, r task.Record) (task.Record, error) {
	if !s.claimed {
		s.claimed = true
		if err := s.Release(ctx, r.ID, 1, ""); err != nil {
			s.t.Error(err)
		}
		if _, err := s.Claim(ctx, "second"); err != nil {
			s.t.Error(err)
		}
	}
	return s.Queue.Update(ctx, r)
}

// TestChangeClaimed checks that a change from outside a run, such as an answer of the client, applies to any run.
func TestChangeClaimed(t *testing.T) {
	t.Parallel()
	q := &claimedMeanwhile{Queue: taskqueue.NewMemory(task.MemoryLimits{}, 0), t: t}
	if err := q.Create(t.Context(), tasktest.Durable("a", "ann", time.Hour)); err != nil {
		t.Fatal(err)
	}
	r, err := task.Change(t.Context(), q, "a", func(r *task.Record) error { r.Message = "changed"; return nil })
	if err != nil || r.Message != "changed" || r.Durable.Epoch != 2 {
		t.Errorf("got %q in run %d, %v", r.Message, r.Durable.Epoch, err)
	}
}
