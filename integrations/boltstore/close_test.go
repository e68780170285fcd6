package boltstore_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// TestClose checks that Close ends pending calls of Wait with an error, and that
// later calls fail.
func TestClose(t *testing.T) {
	t.Parallel()
	s, err := boltstore.Open(filepath.Join(t.TempDir(), "tasks.db"), boltstore.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	r := put(t, s, tasktest.Record("a", "ann", time.Hour), nil)
	waited := make(chan error, 1)
	go func() {
		_, err := s.Wait(context.WithoutCancel(t.Context()), "a", 1)
		waited <- err
	}()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-waited; !errors.Is(err, boltstore.ErrClosed) {
		t.Errorf("waiting ended with %v", err)
	}
	for name, use := range map[string]func() error{
		"Create": func() error { return s.Create(t.Context(), tasktest.Record("b", "ann", time.Hour)) },
		"Get":    func() error { _, err := s.Get(t.Context(), "a"); return err },
		"Update": func() error { r.Status = task.StatusCompleted; _, err := s.Update(t.Context(), r); return err },
		"Wait":   func() error { _, err := s.Wait(t.Context(), "a", 0); return err },
		"List":   func() error { _, err := s.List(t.Context(), task.Owner{Principal: "ann"}, "", 1); return err },
		"Delete": func() error { return s.Delete(t.Context(), "a") },
		"Close":  s.Close,
	} {
		if err := use(); !errors.Is(err, boltstore.ErrClosed) {
			t.Errorf("%s: got the error %v, want %v", name, err, boltstore.ErrClosed)
		}
	}
}
