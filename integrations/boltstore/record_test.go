package boltstore_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// TestRecord checks that values that JSON would change are rejected and that an
// update cannot prolong the TTL.
func TestRecord(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "tasks.db"), boltstore.Limits{})
	for _, c := range []struct{ name, id, principal string }{
		{"id", "\xff", "ann"},
		{"principal", "a", "\xff"},
	} {
		if err := s.Create(t.Context(), tasktest.Record(c.id, c.principal, time.Hour)); !errors.Is(err, task.ErrInvalid) {
			t.Errorf("%s that is not UTF-8: %v, want %v", c.name, err, task.ErrInvalid)
		}
	}
	r := put(t, s, tasktest.Record("b", "ann", time.Hour), func(r *task.Record) { r.TTL = 2 * time.Hour })
	if r.TTL != time.Hour {
		t.Errorf("its TTL became %v", r.TTL)
	}
}

// TestOpenError checks that an error of the operating system is not reported as
// damage.
func TestOpenError(t *testing.T) {
	t.Parallel()
	_, err := boltstore.Open(filepath.Join(t.TempDir(), "nowhere", "tasks.db"), boltstore.Limits{})
	if !errors.Is(err, fs.ErrNotExist) || errors.Is(err, boltstore.ErrCorrupt) {
		t.Errorf("a folder that is not there: %v", err)
	}
}
