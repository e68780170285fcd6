package boltstore

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/child"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// setOnStep makes f run at each step until the test ends. The test must not run in parallel with others.
func setOnStep(t *testing.T, f func(step)) {
	t.Helper()
	onStep = f
	t.Cleanup(func() { onStep = func(step) {} })
}

// TestOpenReplaced has another process replace the file after it has been opened here and before it is locked here. The
// lock of the old file is then free, but that file is no longer the store.
func TestOpenReplaced(t *testing.T) { //nolint:paralleltest // it sets onStep
	needsReplace(t)
	for _, closed := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "tasks.db")
		want := wastefulFile(t, path)
		var other *Store
		setOnStep(t, func(at step) {
			if at != stepOpened {
				return
			}
			onStep = func(step) {}
			other = openHere(t, path)
			r := tasktest.Durable("late", "ann", time.Hour)
			if err := other.Create(t.Context(), r); err != nil {
				t.Error(err)
			}
			want["late"] = r
			if closed {
				if err := other.Close(); err != nil {
					t.Error(err)
				}
			}
		})
		wait := time.Minute
		if !closed {
			wait = time.Millisecond
		}
		s, err := Open(path, Limits{Lock: wait})
		if other == nil {
			t.Fatal("the other one has not opened the file")
		}
		if !closed {
			if !errors.Is(err, ErrLocked) {
				t.Errorf("the other one has the file: got the error %v, want %v", err, ErrLocked)
			}
			if err := other.Close(); err != nil {
				t.Error(err)
			}
			s, err = Open(path, Limits{})
		}
		if err != nil {
			t.Fatal(err)
		}
		s.check(t, want)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOpenWaits checks that waiting for the lock of a file that is replaced meanwhile continues with the lock of the
// new file.
func TestOpenWaits(t *testing.T) { //nolint:paralleltest // it sets onStep
	needsReplace(t)
	path := filepath.Join(t.TempDir(), "tasks.db")
	s := openBurst(t, path)
	opened := make(chan struct{}, 100)
	setOnStep(t, func(at step) {
		if at == stepOpened {
			opened <- struct{}{}
		}
	})
	type result struct {
		*Store
		error
	}
	waited := make(chan result, 1)
	go func() {
		s, err := Open(path, Limits{Lock: time.Minute})
		waited <- result{s, err}
	}()
	<-opened
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for replaced := false; !replaced; {
		s.compactNow()
		if err := s.commitLocked(write{key: 1 << 60}); err != nil { // waits for the writer
			t.Fatal(err)
		}
		now, err := os.Stat(path)
		replaced = err == nil && !os.SameFile(info, now)
	}
	<-opened // it had the lock of the old file, has opened the new one, and waits for its lock
	want := s.all(t)
	r := tasktest.Durable("late", "ann", time.Hour)
	if err := s.Create(t.Context(), r); err != nil {
		t.Error(err)
	}
	want["late"] = r
	select {
	case r := <-waited:
		t.Errorf("two have the store: %v", r.error)
	default:
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	got := <-waited
	if got.error != nil {
		t.Fatal(got.error)
	}
	got.check(t, want)
	if err := got.Close(); err != nil {
		t.Error(err)
	}
	onlyFile(t, path)
}

// racing is the environment variable that makes the test run as one of several processes that open one file.
const racing = "BOLTSTORE_RACING"

// turn reports what a process did while it held the store.
type turn struct {
	ID        string // of a task that it completed
	Compacted int    // number of compactions
}

// TestOpenRace has processes open one file in turn, with a compaction each time: only one holds it at any time, and the
// others see what it has written.
func TestOpenRace(t *testing.T) {
	if path := os.Getenv(racing); path != "" {
		takeTurns(t, path)
		return
	}
	t.Parallel()
	needsReplace(t)
	path := filepath.Join(t.TempDir(), "tasks.db")
	processes := make([]*child.Process, 3)
	for i := range processes {
		processes[i] = child.Start(t, "TestOpenRace", racing, path)
	}
	want, compacted := map[string]bool{}, 0
	for _, p := range processes {
		said := json.NewDecoder(p.Out)
		for {
			var one turn
			if said.Decode(&one) != nil { // the output ends with that of the test framework
				break
			}
			want[one.ID] = true
			compacted += one.Compacted
		}
		if err := p.Wait(); err != nil {
			t.Error(err)
		}
	}
	s := openHere(t, path)
	all := s.all(t)
	for id := range want {
		if all[id].Status != task.StatusCompleted {
			t.Errorf("task %s is gone, or has not ended: %+v", id, all[id])
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if len(want) != 3*turns || compacted < turns {
		t.Errorf("there were %d turns and %d compactions", len(want), compacted)
	}
	onlyFile(t, path)
}

const turns = 3

// takeTurns runs in each of the processes.
func takeTurns(t *testing.T, path string) {
	t.Helper()
	compacted := 0
	onStep = func(at step) {
		if at == stepSwapped {
			compacted++
		}
	}
	holder := path + ".holder"
	for range turns {
		compacted = 0
		s, err := Open(path, Limits{Lock: 10 * time.Minute}) // another process may open it first
		if err != nil {
			t.Fatal(err)
		}
		held, err := os.OpenFile(holder, os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			t.Fatalf("another process has the store, too: %v", err)
		}
		s.file.NoSync = true
		before := s.all(t)
		burst(t, s, 10, 1<<20, 1)
		one := turn{Compacted: compacted}
		for id := range s.all(t) {
			if _, old := before[id]; !old {
				one.ID = id
			}
		}
		if err := errors.Join(held.Close(), os.Remove(holder), s.Close()); err != nil {
			t.Fatal(err)
		}
		if err := json.NewEncoder(os.Stdout).Encode(one); err != nil {
			t.Fatal(err)
		}
	}
}
