package boltstore

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// TestTruncatedMeanwhile checks that truncating the file during a transaction, after the check of its size, faults the
// read: the fault is returned as an error, and later calls do not block on locks of the transaction.
func TestTruncatedMeanwhile(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not truncate a file that is mapped")
	}
	for name, transact := range map[string]func(*disk, func(*bbolt.Tx) error) error{"view": (*disk).view, "update": (*disk).update} {
		path := filepath.Join(t.TempDir(), "tasks.db")
		s := openHere(t, path)
		r := tasktest.Record("a", "ann", time.Hour)
		if err := s.Create(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		r.Status, r.Result = task.StatusCompleted, json.RawMessage(`"`+strings.Repeat("-", 50_000)+`"`)
		if _, err := s.Update(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		err := transact(s.file, func(tx *bbolt.Tx) error {
			if err := os.Truncate(path, 0); err != nil {
				t.Error(err)
			}
			sum := byte(0)
			for _, b := range get(tx.Bucket(tasksBucket), 1, 0) {
				sum += b
			}
			t.Errorf("%s: read %d from a file that is empty", name, sum)
			return nil
		})
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: got the error %v, want %v", name, err, ErrCorrupt)
		}
		if _, err := s.Get(t.Context(), "a"); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: afterwards: got the error %v, want %v", name, err, ErrCorrupt)
		}
		if err := s.Create(t.Context(), tasktest.Record("b", "ann", time.Hour)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: afterwards: got the error %v, want %v", name, err, ErrCorrupt)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: Close: %v", name, err)
		}
	}
}
