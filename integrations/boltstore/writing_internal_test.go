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

// awaitWriting returns when a write of the task is under way.
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

// TestWriting: what is not on the disk yet is not there, and a task is changed by one at a time.
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
	if all, err := s.List(t.Context(), "ann", "", 10); err != nil || len(all) != 0 {
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
	done.Status, cancelled.Status = task.Completed, task.Cancelled
	ended := make(chan error, 1)
	go func() { _, err := s.Update(t.Context(), done); ended <- err }()
	s.awaitWriting(t, "a")
	if got, err := s.Get(t.Context(), "a"); err != nil || got.Status != task.Working {
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
