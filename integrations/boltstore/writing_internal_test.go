package boltstore

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// block keeps the store from writing until the returned func is called.
func (s *Store) block(t *testing.T) (unblock func()) {
	t.Helper()
	tx, err := s.file.Begin(true)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
	}
}

// awaitWriting returns once a write of the task is in progress.
func (s *Store) awaitWriting(t *testing.T, id string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		s.mu.Lock()
		e := s.tasks[id]
		writing := e != nil && e.writing
		s.mu.Unlock()
		if writing {
			return
		}
	}
	t.Fatalf("task %s is not written", id)
}

// TestWriting checks that an unwritten change is not visible, and that changes of a task are
// serialized.
func TestWriting(t *testing.T) {
	t.Parallel()
	s := openHere(t, filepath.Join(t.TempDir(), "tasks.db"))
	r := tasktest.Record("a", "ann", time.Hour)

	unblock := s.block(t)
	created := make(chan error, 1)
	go func() { created <- s.Create(t.Context(), r) }()
	s.awaitWriting(t, "a")
	if _, err := s.Get(t.Context(), "a"); !errors.Is(err, task.ErrNotFound) {
		t.Errorf("a task that is not created yet: %v", err)
	}
	if all, err := s.List(t.Context(), task.Owner{Principal: "ann"}, "", 10); err != nil || len(all) != 0 {
		t.Errorf("%d tasks are listed before they are created, %v", len(all), err)
	}
	if err := s.Create(t.Context(), r); !errors.Is(err, task.ErrExists) {
		t.Errorf("a second one with its id: %v", err)
	}
	unblock()
	if err := <-created; err != nil {
		t.Fatal(err)
	}

	unblock = s.block(t)
	done, cancelled := r, r
	done.Status, cancelled.Status = task.StatusCompleted, task.StatusCancelled
	ended := make(chan error, 1)
	go func() { _, err := s.Update(t.Context(), done); ended <- err }()
	s.awaitWriting(t, "a")
	if got, err := s.Get(t.Context(), "a"); err != nil || got.Status != task.StatusWorking {
		t.Errorf("before its end is written it is %s, %v", got.Status, err)
	}
	brief, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := s.Update(brief, cancelled); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("who waits for the write of another: %v", err)
	}
	late := make(chan error, 1)
	go func() { _, err := s.Update(t.Context(), cancelled); late <- err }()
	unblock()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := <-late; !errors.Is(err, task.ErrEnded) {
		t.Errorf("who came second: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestWritingTakesLong: while the disk hangs, each method returns when its context ends, and the store is consistent
// afterwards.
func TestWritingTakesLong(t *testing.T) {
	t.Parallel()
	s := openHere(t, filepath.Join(t.TempDir(), "tasks.db"))
	durable := tasktest.Durable("d", "ann", time.Hour)
	for _, r := range []task.Record{tasktest.Record("a", "ann", time.Hour), tasktest.Record("b", "ann", time.Hour), durable, tasktest.Durable("free", "ann", time.Hour)} {
		if err := s.Create(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Release(t.Context(), "free", 1, ""); err != nil {
		t.Fatal(err)
	}
	end, err := s.Get(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	end.Status = task.StatusCancelled

	unblock := s.block(t)
	for name, test := range map[string]struct {
		id   string // of the task that is written
		call func(context.Context) error
	}{
		"Create":  {"new", func(ctx context.Context) error { return s.Create(ctx, tasktest.Durable("new", "ann", time.Hour)) }},
		"Update":  {"a", func(ctx context.Context) error { _, err := s.Update(ctx, end); return err }},
		"Delete":  {"b", func(ctx context.Context) error { return s.Delete(ctx, "b") }},
		"Release": {"d", func(ctx context.Context) error { return s.Release(ctx, "d", 1, "") }},
		"Claim":   {"free", func(ctx context.Context) error { _, err := s.Claim(ctx, "second"); return err }},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- test.call(ctx) }()
		s.awaitWriting(t, test.id)
		cancel()
		select {
		case err := <-ended:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s does not end with its context", name)
		}
	}
	unblock()

	claimed := map[string]bool{}
	for range 2 {
		r, err := s.Claim(t.Context(), "third")
		if err != nil {
			t.Fatal(err)
		}
		claimed[r.ID] = true
	}
	if !claimed["d"] || !claimed["free"] {
		t.Errorf("claimed %v, want the released task, and the one whose claim was cancelled", claimed)
	}
	// What had begun goes on after its caller has gone.
	for _, end := range []struct {
		id      string
		reached func(r task.Record, err error) bool
	}{
		{"new", func(_ task.Record, err error) bool { return errors.Is(err, task.ErrNotFound) }},
		{"a", func(r task.Record, err error) bool { return err == nil && r.Status == task.StatusCancelled }},
		{"b", func(_ task.Record, err error) bool { return errors.Is(err, task.ErrNotFound) }},
	} {
		r, err := s.Get(t.Context(), end.id)
		for deadline := time.Now().Add(10 * time.Second); !end.reached(r, err) && time.Now().Before(deadline); r, err = s.Get(t.Context(), end.id) {
			time.Sleep(time.Millisecond)
		}
		if !end.reached(r, err) {
			t.Errorf("%s: %s, %v", end.id, r.Status, err)
		}
	}
}
