package boltstore

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// needsReplace skips a test on systems where files are not compacted.
func needsReplace(tb testing.TB) {
	tb.Helper()
	if !replaceable {
		tb.Skip("files are not compacted on this system")
	}
}

// burst completes tasks with results of size bytes and deletes all but keep of them.
func burst(tb testing.TB, s *Store, tasks, size, keep int) {
	tb.Helper()
	ids := make([]string, tasks)
	for i := range ids {
		ids[i] = rand.Text()
		r := tasktest.Record(ids[i], "ann", time.Hour)
		err := s.Create(tb.Context(), r)
		if err == nil {
			r.Status, r.Result = task.StatusCompleted, json.RawMessage(`"`+ids[i]+strings.Repeat("-", size)+`"`)
			_, err = s.Update(tb.Context(), r)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	for i, id := range ids {
		if i%(tasks/keep) == 0 {
			continue
		}
		if err := s.Delete(tb.Context(), id); err != nil {
			tb.Fatal(err)
		}
	}
}

// wastefulFile makes a file that is due for compaction, with completed tasks and an unfinished durable one. It returns
// its records.
func wastefulFile(t *testing.T, path string) map[string]task.Record {
	t.Helper()
	s := openHere(t, path)
	s.file.NoSync = true
	if err := s.Create(t.Context(), tasktest.Durable("durable", "ann", time.Hour)); err != nil {
		t.Fatal(err)
	}
	burst(t, s, 14, 1<<20, 2)
	all := s.all(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if size := sizeOf(t, path); size < compactFrom {
		t.Fatalf("the file has only %d bytes", size)
	}
	return all
}

// openBurst opens a new file and makes a burst of 14 records of 1 MiB, of which two are kept.
func openBurst(t *testing.T, path string) *Store {
	t.Helper()
	s := openHere(t, path)
	s.file.NoSync = true
	burst(t, s, 14, 1<<20, 2)
	return s
}

// all returns all records.
func (s *Store) all(tb testing.TB) map[string]task.Record {
	tb.Helper()
	all := map[string]task.Record{}
	for r, err := range s.Records(tb.Context()) {
		if err != nil {
			tb.Fatal(err)
		}
		all[r.ID] = r
	}
	return all
}

func fileInfo(tb testing.TB, path string) os.FileInfo {
	tb.Helper()
	info, err := os.Stat(path)
	if err != nil {
		tb.Fatal(err)
	}
	return info
}

func sizeOf(tb testing.TB, path string) int64 {
	tb.Helper()
	return fileInfo(tb, path).Size()
}

// onlyFile checks that the directory contains only the store's file and the named others.
func onlyFile(t *testing.T, path string, others ...string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := len(others) + 1; len(names) != want {
		t.Errorf("the folder has %q, want %d files", names, want)
	}
}

// check compares the records of an open store with the expected ones, and uses the store.
func (s *Store) check(t *testing.T, want map[string]task.Record) {
	t.Helper()
	raw := cmp.Comparer(func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) // cmp is slow without this
	if diff := cmp.Diff(want, s.all(t), raw); diff != "" {
		t.Errorf("the records are others (-before +after):\n%s", diff)
	}
	s.balance(t)
	if err := s.Create(t.Context(), tasktest.Record("new", "ann", time.Hour)); err != nil {
		t.Error(err)
	}
	if err := s.Delete(t.Context(), "new"); err != nil {
		t.Error(err)
	}
}

// TestCompactOpened checks that Open compacts a file that is mostly free, without any other change.
func TestCompactOpened(t *testing.T) {
	t.Parallel()
	needsReplace(t)
	path := filepath.Join(t.TempDir(), "tasks.db")
	all := wastefulFile(t, path)
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	before := sizeOf(t, path)
	s := openHere(t, path)
	after := sizeOf(t, path)
	t.Logf("%d bytes became %d", before, after)
	if after > before/3 {
		t.Errorf("the file had %d bytes and has %d", before, after)
	}
	s.check(t, all)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o640 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	info, _ := os.Stat(path)
	s = openHere(t, path)
	s.check(t, all)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.Stat(path); !os.SameFile(info, again) {
		t.Error("it was compacted again")
	}
	onlyFile(t, path)
}

// TestCompactWhileOpen checks that a file in use is compacted some time after the write that freed most of it.
func TestCompactWhileOpen(t *testing.T) {
	t.Parallel()
	needsReplace(t)
	path := filepath.Join(t.TempDir(), "tasks.db")
	synctest.Test(t, func(t *testing.T) {
		s := openBurst(t, path)
		all, before := s.all(t), sizeOf(t, path)
		time.Sleep(compactDelay - time.Second)
		synctest.Wait()
		if size := sizeOf(t, path); size != before {
			t.Errorf("too early: the file had %d bytes and has %d", before, size)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if size := sizeOf(t, path); size > before/3 {
			t.Errorf("the file had %d bytes and has %d", before, size)
		}
		s.check(t, all)
		info := fileInfo(t, path)
		s = reopenHere(t, s, path)
		s.check(t, all)
		if !os.SameFile(info, fileInfo(t, path)) {
			t.Error("it was compacted again")
		}
		s.file.NoSync = true
		burst(t, s, 54, 1<<20, 18) // more in use than writes may be delayed for
		all, info = s.all(t), fileInfo(t, path)
		time.Sleep(2 * compactDelay)
		synctest.Wait()
		if !os.SameFile(info, fileInfo(t, path)) {
			t.Error("a file of which much is in use was compacted while open")
		}
		if s = reopenHere(t, s, path); os.SameFile(info, fileInfo(t, path)) {
			t.Error("a file of which much is in use is not compacted when it is opened")
		}
		s.check(t, all)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	onlyFile(t, path)
}

func reopenHere(t *testing.T, s *Store, path string) *Store {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return openHere(t, path)
}

// TestCompactInUse checks that readers and writers do not notice that the file is replaced.
func TestCompactInUse(t *testing.T) {
	t.Parallel()
	needsReplace(t)
	path := filepath.Join(t.TempDir(), "tasks.db")
	s := openHere(t, path)
	s.file.NoSync = true
	if err := s.Create(t.Context(), tasktest.Record("first", "bob", time.Hour)); err != nil {
		t.Fatal(err)
	}
	var users sync.WaitGroup
	done := make(chan struct{})
	for reader := range 2 {
		users.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				default:
				}
				use(t, s, fmt.Sprint(reader, "-", n))
			}
		})
	}
	for range 3 {
		burst(t, s, 14, 1<<20, 2)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		for tries := 0; ; tries++ {
			s.compactNow()
			if err := s.commitLocked(write{key: 1 << 60}); err != nil { // waits for the writer
				t.Fatal(err)
			}
			if now, err := os.Stat(path); err == nil && !os.SameFile(info, now) {
				break
			}
			if tries > 10_000 {
				t.Fatal("it is not compacted")
			}
		}
		for id := range s.all(t) {
			if err := s.Delete(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
	}
	close(done)
	users.Wait()
	s.balance(t)
	s = reopenHere(t, s, path)
	s.balance(t)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	onlyFile(t, path)
}

// use creates a task, reads, lists, and deletes it.
func use(t *testing.T, s *Store, id string) {
	t.Helper()
	r := tasktest.Record(id, id, time.Hour)
	result := `"` + strings.Repeat(id, 100) + `"`
	err := s.Create(t.Context(), r)
	if err == nil {
		r.Status, r.Result = task.StatusCompleted, json.RawMessage(result)
		_, err = s.Update(t.Context(), r)
	}
	for range 10 {
		if err != nil {
			break
		}
		if r, err = s.Get(t.Context(), id); err == nil && string(r.Result) != result {
			t.Errorf("task %s has the result %s", id, r.Result)
		}
	}
	if err == nil {
		err = s.Delete(t.Context(), id)
	}
	if err != nil {
		t.Errorf("task %s: %v", id, err)
	}
}
