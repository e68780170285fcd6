//go:build !windows && !plan9 && !solaris && !aix && !android

package boltstore

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestCompactOwner checks that another user's file can still be opened by that user after root has opened it once.
func TestCompactOwner(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tasks.db")
	wastefulFile(t, path)
	const user, group = 12345, 23456
	if err := os.Chown(path, user, group); err != nil {
		t.Skipf("takes root: %v", err)
	}
	before := fileInfo(t, path)
	s := openHere(t, path)
	after := fileInfo(t, path)
	if os.SameFile(before, after) {
		t.Error("the file is not compacted")
	}
	if stat, ok := after.Sys().(*syscall.Stat_t); !ok || stat.Uid != user || stat.Gid != group || after.Mode() != before.Mode() {
		t.Errorf("the file is of %+v, mode %v", stat, after.Mode())
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
