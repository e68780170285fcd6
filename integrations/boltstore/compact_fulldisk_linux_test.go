package boltstore_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/internal/testing/disk"
)

// mostlyFree makes a file of about 20 MiB, of which 5 are in use, and returns the ids of its tasks.
func mostlyFree(t *testing.T, s *boltstore.Store) []string {
	t.Helper()
	ids := addUntilFull(t, s, time.Hour, []int{200_000}, 100)
	for _, id := range ids[:75] {
		if err := s.Delete(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	return ids[75:]
}

// leave fills the disk except for the given number of bytes.
func leave(t *testing.T, dir string, free int) (empty func()) {
	t.Helper()
	spare := filepath.Join(dir, "spare")
	if err := os.WriteFile(spare, make([]byte, free), 0o600); err != nil {
		t.Fatal(err)
	}
	empty = disk.Fill(t, dir)
	if err := os.Remove(spare); err != nil {
		t.Fatal(err)
	}
	return empty
}

func fileOf(t *testing.T, path string) fs.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// TestFullDiskCompact checks a compaction that runs out of disk space: the file stays in use, no leftovers remain, and
// the compaction is not retried at once. When there is room, the file is compacted.
func TestFullDiskCompact(t *testing.T) { //nolint:paralleltest // see reopen
	for _, free := range []int{0, 4 << 10, 64 << 10, 1 << 20, 4 << 20} {
		for _, reopened := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d bytes are free, reopened %t", free, reopened), func(t *testing.T) {
				t.Parallel()
				dir := disk.Small(t, 40<<20)
				synctest.Test(t, func(t *testing.T) {
					compactOnFullDisk(t, dir, free, reopened)
				})
			})
		}
	}
}

func compactOnFullDisk(t *testing.T, dir string, free int, reopened bool) {
	t.Helper()
	path := filepath.Join(dir, "tasks.db")
	s := open100k(t, path)
	ids := mostlyFree(t, s)
	before := fileOf(t, path)
	empty := leave(t, dir, free)
	if reopened {
		s = reopen(t, s, path, boltstore.Limits{})
	}
	time.Sleep(time.Minute) // until the compaction is tried in the open store
	synctest.Wait()
	if !os.SameFile(before, fileOf(t, path)) {
		t.Error("the file was replaced on a full disk")
	}
	if _, err := os.Lstat(path + ".compacting"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a part of the new file is left: %v", err)
	}
	empty()
	more := addUntilFull(t, s, time.Hour, []int{3000}, 3)
	if ids = append(ids, more...); len(more) != 3 {
		t.Errorf("%d of 3 tasks were added", len(more))
	}
	time.Sleep(time.Minute)
	synctest.Wait()
	if !os.SameFile(before, fileOf(t, path)) {
		t.Error("it was tried again at once")
	}
	time.Sleep(time.Hour)
	synctest.Wait()
	if os.SameFile(before, fileOf(t, path)) {
		t.Error("the file is not compacted when there is room")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if n := inFile(t, path); n > len(ids) {
		t.Errorf("%d records are in the file, want at most %d", n, len(ids))
	}
}
