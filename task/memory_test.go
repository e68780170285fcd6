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

func TestMemory(t *testing.T) {
	t.Parallel()
	tasktest.Run(t, func(*testing.T) task.Store { return task.NewMemory(task.MemoryLimits{}) })
}

// TestMemoryExpires: what has expired is freed, and those who wait are told.
func TestMemoryExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := task.NewMemory(task.MemoryLimits{Tasks: 1})
		if err := m.Create(t.Context(), tasktest.Record("a", "ann", time.Minute)); err != nil {
			t.Fatal(err)
		}
		waited := make(chan error, 1)
		go func() {
			_, err := m.Wait(context.WithoutCancel(t.Context()), "a", 1)
			waited <- err
		}()
		time.Sleep(time.Minute - time.Nanosecond)
		if _, err := m.Get(t.Context(), "a"); err != nil {
			t.Errorf("before its time: %v", err)
		}
		if err := m.Create(t.Context(), tasktest.Record("b", "bob", time.Minute)); !errors.Is(err, task.ErrFull) {
			t.Errorf("got %v, want %v", err, task.ErrFull)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if err := <-waited; !errors.Is(err, task.ErrNotFound) {
			t.Errorf("waiting ended with %v", err)
		}
		if err := m.Create(t.Context(), tasktest.Record("b", "bob", time.Minute)); err != nil {
			t.Errorf("after the other has gone: %v", err)
		}
	})
}

// TestMemoryLimits: no principal takes the place of the others.
func TestMemoryLimits(t *testing.T) {
	t.Parallel()
	m := task.NewMemory(task.MemoryLimits{Tasks: 3, PerPrincipal: 2})
	for _, step := range []struct {
		id, principal string
		want          error
	}{
		{"1", "ann", nil}, {"2", "ann", nil}, {"3", "ann", task.ErrFull}, {"4", "bob", nil}, {"5", "bob", task.ErrFull},
	} {
		if err := m.Create(t.Context(), tasktest.Record(step.id, step.principal, time.Hour)); !errors.Is(err, step.want) {
			t.Errorf("task %s of %s: %v, want %v", step.id, step.principal, err, step.want)
		}
	}
	if err := m.Delete(t.Context(), "1"); err != nil {
		t.Fatal(err)
	}
	if err := m.Create(t.Context(), tasktest.Record("6", "ann", time.Hour)); err != nil {
		t.Errorf("after one has gone: %v", err)
	}
}
