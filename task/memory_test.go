package task_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
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

// TestMemorySmall checks that a store without room for large results passes the same tests.
func TestMemorySmall(t *testing.T) {
	t.Parallel()
	tasktest.Run(t, func(*testing.T) task.Store { return task.NewMemory(task.MemoryLimits{Bytes: 64 << 10}) })
}

// TestMemoryExpires checks that expired records are freed and that waiting for them ends.
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
			t.Errorf("before it expires: %v", err)
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
			t.Errorf("after the other has expired: %v", err)
		}
	})
}

// TestMemoryLimits checks the limits per principal and in total. Callers without a principal count as one.
func TestMemoryLimits(t *testing.T) {
	t.Parallel()
	m := task.NewMemory(task.MemoryLimits{Tasks: 5, PerPrincipal: 2})
	for _, step := range []struct {
		id, principal string
		want          error
	}{
		{"1", "ann", nil},
		{"2", "ann", nil},
		{"3", "ann", task.ErrFull},
		{"4", "", nil},
		{"5", "", nil},
		{"7", "", task.ErrFull},
		{"8", "bob", nil},
		{"9", "bob", task.ErrFull},
	} {
		if err := m.Create(t.Context(), tasktest.Record(step.id, step.principal, time.Hour)); !errors.Is(err, step.want) {
			t.Errorf("task %s of %s: %v, want %v", step.id, step.principal, err, step.want)
		}
	}
	if err := m.Delete(t.Context(), "1"); err != nil {
		t.Fatal(err)
	}
	if err := m.Create(t.Context(), tasktest.Record("6", "ann", time.Hour)); err != nil {
		t.Errorf("after one was deleted: %v", err)
	}
}

// TestMemoryBytes checks the limits on the memory of results, per principal and in total. A task can always end without
// a result.
func TestMemoryBytes(t *testing.T) {
	t.Parallel()
	m := task.NewMemory(task.MemoryLimits{Bytes: 25_000, BytesPerPrincipal: 15_000})
	end := func(id string, size int) error {
		_, err := task.Change(t.Context(), m, id, func(r *task.Record) error {
			r.Status, r.Result = task.StatusCompleted, json.RawMessage(`"`+strings.Repeat("-", size)+`"`)
			return nil
		})
		return err
	}
	for _, step := range []struct {
		id, principal string
		size          int
		want          error
	}{
		{"1", "ann", 10_000, nil},
		{"2", "ann", 10_000, task.ErrFull}, // the limit per principal
		{"3", "bob", 10_000, nil},
		{"4", "eve", 10_000, task.ErrFull}, // the total limit
		{"5", "eve", 100, nil},
	} {
		if err := m.Create(t.Context(), tasktest.Record(step.id, step.principal, time.Hour)); err != nil {
			t.Fatal(err)
		}
		if err := end(step.id, step.size); !errors.Is(err, step.want) {
			t.Errorf("the end of task %s of %s: %v, want %v", step.id, step.principal, err, step.want)
		}
	}
	big := tasktest.Record("6", "zoe", time.Hour)
	big.Message = strings.Repeat("-", 10_000)
	if err := m.Create(t.Context(), big); !errors.Is(err, task.ErrFull) {
		t.Errorf("a new task: %v", err)
	}
	if r, err := m.Get(t.Context(), "2"); err != nil || r.Status != task.StatusWorking || r.Version != 1 {
		t.Errorf("a result that did not fit changed the record: %+v, %v", r, err)
	}
	if r, err := task.Change(t.Context(), m, "2", func(r *task.Record) error {
		r.Status, r.Error = task.StatusFailed, json.RawMessage(`{"code":-32603,"message":"the result does not fit"}`)
		return nil
	}); err != nil || r.Status != task.StatusFailed {
		t.Errorf("an end without a result: %v", err)
	}
	if err := m.Delete(t.Context(), "1"); err != nil {
		t.Fatal(err)
	}
	if err := end("4", 5_000); err != nil {
		t.Errorf("when there is room again: %v", err)
	}
}

// TestMemoryBalance checks that the bytes of expired records are subtracted from the count.
func TestMemoryBalance(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := task.NewMemory(task.MemoryLimits{Bytes: 20_000, BytesPerPrincipal: 20_000})
		for i := range 100 {
			if err := m.Create(t.Context(), tasktest.Record("a", "ann", time.Minute)); err != nil {
				t.Fatalf("round %d: %v", i, err)
			}
			for range 3 {
				if _, err := task.Change(t.Context(), m, "a", func(r *task.Record) error { r.Message += strings.Repeat("-", 4000); return nil }); err != nil {
					t.Fatalf("round %d: %v", i, err)
				}
			}
			time.Sleep(time.Minute)
			synctest.Wait()
		}
	})
}

// TestMemoryNegativeLimits checks that NewMemory panics for negative limits, with the name and value of each.
func TestMemoryNegativeLimits(t *testing.T) {
	t.Parallel()
	defer func() {
		const want = `task: MemoryLimits.Tasks is -1, but must not be negative; 0 means the default, 10000
MemoryLimits.PerPrincipal is -2, but must not be negative; 0 means the default, 1000
MemoryLimits.Bytes is -3, but must not be negative; 0 means the default, 256 MiB
MemoryLimits.BytesPerPrincipal is -4, but must not be negative; 0 means the default, 64 MiB`
		if err, _ := recover().(error); err == nil || err.Error() != want {
			t.Errorf("panic: %v, want %s", err, want)
		}
	}()
	task.NewMemory(task.MemoryLimits{Tasks: -1, PerPrincipal: -2, Bytes: -3, BytesPerPrincipal: -4})
}
