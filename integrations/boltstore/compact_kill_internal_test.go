package boltstore

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/child"
	"github.com/mcptool-go/mcptool/task"
)

// compacting is the environment variable that makes the test run as a child that compacts and is killed.
const compacting = "BOLTSTORE_COMPACTING"

// compactor configures the child.
type compactor struct {
	Path  string
	Step  step // where the child is killed
	InUse bool // compact a file in use, not one being opened
}

// TestCompactKill kills a process at each step of a compaction: the file must be the old or the new one, and complete.
func TestCompactKill(t *testing.T) {
	if value := os.Getenv(compacting); value != "" {
		var c compactor
		if err := json.Unmarshal([]byte(value), &c); err != nil {
			t.Fatal(err)
		}
		c.run(t)
		return
	}
	t.Parallel()
	needsReplace(t)
	replaced := false
	for _, at := range []step{stepBegun, stepCopied, stepSynced, stepRenamed, stepReplaced, stepSwapped} {
		replaced = replaced || at == stepRenamed
		isNew := replaced
		for _, inUse := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, in use %t", at, inUse), func(t *testing.T) {
				t.Parallel()
				compactor{Path: filepath.Join(t.TempDir(), "tasks.db"), Step: at, InUse: inUse}.kill(t, isNew)
			})
		}
	}
}

// kill runs the child and checks the file that it leaves.
func (c compactor) kill(t *testing.T, replaced bool) {
	t.Helper()
	var want map[string]task.Record
	if !c.InUse {
		want = wastefulFile(t, c.Path)
	}
	value, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	p := child.Start(t, "TestCompactKill", compacting, string(value))
	guard := time.AfterFunc(5*time.Minute, func() { _ = p.Process.Kill() }) // if the step is never reached
	defer guard.Stop()
	said := json.NewDecoder(p.Out)
	if c.InUse {
		if err := said.Decode(&want); err != nil {
			t.Fatal(err)
		}
	}
	var reached step
	if err := said.Decode(&reached); err != nil || reached != c.Step {
		t.Fatalf("the child has reached %q, %v", reached, err)
	}
	p.Kill()
	if size := sizeOf(t, c.Path); size < compactFrom != replaced {
		t.Errorf("the file has %d bytes; it should be the new one: %t", size, replaced)
	}
	s := openHere(t, c.Path)
	s.check(t, want)
	if size := sizeOf(t, c.Path); size > compactFrom {
		t.Errorf("the next process has not compacted the file, which has %d bytes", size)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	onlyFile(t, c.Path)
}

// run compacts and stops at the step to be killed.
func (c compactor) run(t *testing.T) {
	t.Helper()
	say := json.NewEncoder(os.Stdout)
	onStep = func(at step) {
		if at == c.Step {
			_, _ = say.Encode(at), c.wait(t)
		}
	}
	s := openHere(t, c.Path)
	if c.InUse {
		s.file.NoSync = true
		burst(t, s, 14, 1<<20, 2)
		if err := say.Encode(s.all(t)); err != nil {
			t.Fatal(err)
		}
		s.compactNow()
	}
	_ = c.wait(t)
}

// wait blocks until the parent kills the process or has exited.
func (c compactor) wait(t *testing.T) error {
	t.Helper()
	_, err := io.ReadAll(os.Stdin)
	return err
}
