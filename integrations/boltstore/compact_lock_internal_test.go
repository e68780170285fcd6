package boltstore

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/fixture/child"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// setOnStep calls f at each step until the test ends. No other test may run meanwhile.
func setOnStep(t *testing.T, f func(step)) {
	t.Helper()
	onStep = f
	t.Cleanup(func() { onStep = func(step) {} })
}

// TestOpenReplaced: another process replaces the file after it was opened here, and before it is locked here. The lock of the
// old file is free then, but it is not the store any more.
func TestOpenReplaced(t *testing.T) { //nolint:paralleltest // it sets onStep
	needsReplace(t)
	for _, closed := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "tasks.db")
		want := wastefulFile(t, path)
		var other *Store
		opened := 0
		setOnStep(t, func(at step) {
			if at != stepOpened {
				return
			}
			if opened++; opened != 2 { // the first time it is only looked at
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

// TestOpenWaits: who waits for the lock of a file that is replaced meanwhile waits for that of the new one.
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
		if err := s.commitLocked(write{key: 1 << 60}); err != nil { // the writer has seen it after that
			t.Fatal(err)
		}
		now, err := os.Stat(path)
		replaced = err == nil && !os.SameFile(info, now)
	}
	<-opened // it has the lock of the old file, and opens the new one
	<-opened // and waits for the lock of that
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

// racing is the variable by which a test runs itself as one of some processes that open one file.
const racing = "BOLTSTORE_RACING"

// turn is what one of these processes did while it had the store.
type turn struct {
	ID        string // of a task that it has finished
	Compacted int    // how many times it has compacted the file
}

// TestOpenRace has processes open one file in turns, which is compacted each time: one has it at any time, and what it has
// written is there for the others.
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
			if said.Decode(&one) != nil { // it ends with the words of the test
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
		if all[id].Status != task.Completed {
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

// takeTurns is what each of the processes does.
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
		s, err := Open(path, Limits{Lock: 10 * time.Minute}) // who closes the file may be the first to open it again
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
