package boltstore_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// TestTruncated checks that truncating an open file makes every method that needs it return an error instead of
// crashing the process, which maps the file into memory.
func TestTruncated(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not truncate a file that is mapped")
	}
	for _, size := range []int64{0, 1, 4096, 8192, 20_000} {
		dir := t.TempDir()
		path := filepath.Join(dir, "tasks.db")
		s, err := boltstore.Open(path, boltstore.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"a", "b", "c", "d"} {
			put(t, s, tasktest.Record(id, "ann", time.Hour), func(r *task.Record) {
				r.Status, r.Result = task.StatusCompleted, json.RawMessage(`"`+strings.Repeat("-", 50_000)+`"`)
			})
		}
		working := put(t, s, tasktest.Record("w", "ann", time.Hour), nil)
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		working.Status = task.StatusCompleted
		for name, use := range map[string]func() error{
			"Get":    func() error { _, err := s.Get(t.Context(), "a"); return err },
			"Wait":   func() error { _, err := s.Wait(t.Context(), "b", 0); return err },
			"Create": func() error { return s.Create(t.Context(), tasktest.Record("n", "ann", time.Hour)) },
			"Update": func() error { _, err := s.Update(t.Context(), working); return err },
			"Delete": func() error { return s.Delete(t.Context(), "c") },
		} {
			if err := use(); !errors.Is(err, boltstore.ErrCorrupt) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s of a file of %d bytes: got the error %v, want %v with the path", name, size, err, boltstore.ErrCorrupt)
			}
		}
		if r, err := s.Get(t.Context(), "w"); err != nil || r.Status != task.StatusWorking {
			t.Errorf("what is in memory: %+v, %v", r, err)
		}
		if list, err := s.List(t.Context(), task.Owner{Principal: "ann"}, "", 9); err != nil || len(list) != 5 {
			t.Errorf("a list, which is in memory: %d tasks, %v", len(list), err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() != size {
			t.Errorf("the file was changed: it has %d bytes, %v", info.Size(), err)
		}
	}
}
