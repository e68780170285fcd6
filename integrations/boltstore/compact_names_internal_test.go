package boltstore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// TestCompactUnfinished checks that the temporary file left by a process that died during a compaction is removed.
// Anything else with that name is left alone, and the file is not compacted.
func TestCompactUnfinished(t *testing.T) {
	t.Parallel()
	needsReplace(t)
	for _, c := range []struct {
		name    string
		make    func(t *testing.T, name string) error
		removed bool
	}{
		{"part of a file", func(_ *testing.T, name string) error { return os.WriteFile(name, []byte("half"), 0o600) }, true},
		{"a store", func(t *testing.T, name string) error {
			t.Helper()
			s := openHere(t, name)
			return errors.Join(s.Create(t.Context(), tasktest.Record("other", "ann", time.Hour)), s.Close())
		}, true},
		{"a symbolic link", func(_ *testing.T, name string) error {
			return errors.Join(os.WriteFile(name+".other", []byte("other"), 0o600), os.Symlink(name+".other", name))
		}, false},
		{"a folder", func(_ *testing.T, name string) error { return os.Mkdir(name, 0o700) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "tasks.db")
			all := wastefulFile(t, path)
			before := sizeOf(t, path)
			if err := c.make(t, path+compactSuffix); err != nil {
				t.Fatal(err)
			}
			s := openHere(t, path)
			s.check(t, all)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if c.removed {
				onlyFile(t, path)
			}
			if compacted := sizeOf(t, path) < before; compacted != c.removed {
				t.Errorf("it was compacted: %t, want %t", compacted, c.removed)
			}
			if _, err := os.Lstat(path + compactSuffix); errors.Is(err, fs.ErrNotExist) != c.removed {
				t.Errorf("what had the name: %v", err)
			}
			if other, err := os.ReadFile(path + compactSuffix + ".other"); err == nil && string(other) != "other" {
				t.Errorf("the link was followed: %q", other)
			}
		})
	}
}

// TestCompactNames checks that a symbolic link to the file and the name of the file are kept, and that a file with hard
// links, or one that has been moved, is not replaced.
func TestCompactNames(t *testing.T) {
	t.Parallel()
	needsReplace(t)
	t.Run("symbolic link", func(t *testing.T) {
		t.Parallel()
		path, link := filepath.Join(t.TempDir(), "tasks.db"), filepath.Join(t.TempDir(), "link")
		all := wastefulFile(t, path)
		before := sizeOf(t, path)
		if err := os.Symlink(path, link); err != nil {
			t.Fatal(err)
		}
		s := openHere(t, link)
		s.check(t, all)
		if info, err := os.Lstat(link); err != nil || info.Mode().Type() != fs.ModeSymlink {
			t.Errorf("the link is %v, %v", info, err)
		}
		if size := sizeOf(t, path); size > before/3 {
			t.Errorf("the file had %d bytes and has %d", before, size)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		onlyFile(t, path)
		onlyFile(t, link)
	})
	t.Run("hard link", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "tasks.db")
		all := wastefulFile(t, path)
		before, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Link(path, path+".link"); err != nil {
			t.Fatal(err)
		}
		s := openHere(t, path)
		s.check(t, all)
		if now, err := os.Stat(path); err != nil || !os.SameFile(before, now) {
			t.Errorf("the file was replaced, %v", err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		onlyFile(t, path, "link")
	})
	t.Run("moved", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "tasks.db")
		synctest.Test(t, func(t *testing.T) {
			s := openBurst(t, path)
			all := s.all(t)
			if err := os.Rename(path, path+".moved"); err != nil {
				t.Fatal(err)
			}
			time.Sleep(compactDelay)
			synctest.Wait()
			s.check(t, all)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		onlyFile(t, path+".moved")
	})
}

// TestCompactDamage checks that a damaged file is not compacted, whether the damage is found on opening or later.
func TestCompactDamage(t *testing.T) {
	t.Parallel()
	needsReplace(t)
	spoil := func(t *testing.T, path string, id string) {
		t.Helper()
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; ; at++ { // deleted copies, too
			next := strings.Index(string(file[at:]), `"result":"`+id)
			if next < 0 {
				break
			}
			at += next
			file[at+len(`"result":"`)+len(id)+1] = '!'
		}
		// in place, since it may be open
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteAt(file, 0)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	anyID := func(all map[string]task.Record) string {
		for id := range all {
			if id != "durable" {
				return id
			}
		}
		return ""
	}
	t.Run("opened", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "tasks.db")
		spoil(t, path, anyID(wastefulFile(t, path)))
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, Limits{}); !errors.Is(err, ErrCorrupt) {
			t.Errorf("got the error %v, want %v", err, ErrCorrupt)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
			t.Errorf("the file was changed, %v", err)
		}
		onlyFile(t, path)
	})
	t.Run("while open", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "tasks.db")
		synctest.Test(t, func(t *testing.T) {
			s := openBurst(t, path)
			all := s.all(t)
			spoiled := anyID(all)
			spoil(t, path, spoiled)
			info, _ := os.Stat(path)
			time.Sleep(compactDelay)
			synctest.Wait()
			if now, _ := os.Stat(path); !os.SameFile(info, now) {
				t.Error("it was compacted")
			}
			for id := range all {
				if _, err := s.Get(t.Context(), id); errors.Is(err, ErrCorrupt) != (id == spoiled) {
					t.Errorf("task %s, spoiled %t: %v", id, id == spoiled, err)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		onlyFile(t, path)
	})
}
