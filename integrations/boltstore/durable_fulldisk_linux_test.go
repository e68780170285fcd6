package boltstore_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/internal/testing/disk"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// TestFullDiskDurable fills the disk during a durable task: the write fails, whichever it is, and changes nothing. The
// task continues from there when there is room, in this process or in the next.
func TestFullDiskDurable(t *testing.T) { //nolint:paralleltest // see reopen
	for n, c := range durableSteps() {
		for _, reopened := range []bool{false, true} {
			name := c.name
			if reopened {
				name += ", reopened"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				dir := disk.Small(t, 2<<20)
				synctest.Test(t, func(t *testing.T) { durableOnFullDisk(t, dir, n, reopened) })
			})
		}
	}
}

// durableOnFullDisk fills the disk at the nth step.
func durableOnFullDisk(t *testing.T, dir string, n int, reopened bool) {
	t.Helper()
	path := filepath.Join(dir, "tasks.db")
	s := open100k(t, path)
	if err := s.Create(t.Context(), tasktest.Durable("a", "ann", time.Hour)); err != nil {
		t.Fatal(err)
	}
	steps := durableSteps()
	for _, c := range steps[:n] {
		if err := c.do(t, s); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
	}
	empty := disk.Fill(t, dir)
	addUntilFull(t, s, time.Hour, []int{100_000, 3000, 0}, 1000)
	before := get(t, s)
	err := large(steps[n].name, before.Durable.Epoch)(t, s)
	if err == nil {
		t.Fatal("it was written")
	}
	noSpace(t, err)
	if diff := cmp.Diff(before, get(t, s)); diff != "" {
		t.Errorf("the task is another (-before +after):\n%s", diff)
	}
	if reopened {
		s = reopen(t, s, path, boltstore.Limits{})
		if diff := cmp.Diff(before, get(t, s)); diff != "" {
			t.Errorf("in the next process the task is another (-before +after):\n%s", diff)
		}
	}
	empty()
	finish(t, s, steps[n:], reopened)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// finish does the remaining steps. A new process has to claim the task first.
func finish(t *testing.T, s *boltstore.Store, steps []durableStep, reopened bool) {
	t.Helper()
	for _, c := range steps {
		switch {
		case !reopened:
			if err := c.do(t, s); err != nil {
				t.Errorf("%s, when there is room: %v", c.name, err)
			}
			continue
		case c.name == "a release", c.name == "a claim":
			continue
		}
		if get(t, s).Durable.Owner != "next" {
			if r, err := s.Claim(t.Context(), "next"); err != nil || r.ID != "a" {
				t.Fatalf("claimed %q, %v", r.ID, err)
			}
		}
		if err := c.do(t, s); err != nil {
			t.Errorf("%s, when there is room: %v", c.name, err)
		}
	}
	if r := get(t, s); r.Status != task.StatusCompleted || string(r.Result) != `{"content":[]}` {
		t.Errorf("the task is %s, with the result %s", r.Status, r.Result)
	}
}

// large is a step of the same kind that needs more room than there is.
func large(name string, epoch uint64) func(*testing.T, *boltstore.Store) error {
	const size = 1 << 20
	text := strings.Repeat("-", size)
	return func(t *testing.T, s *boltstore.Store) error {
		t.Helper()
		switch name {
		case "a release":
			return s.Release(t.Context(), "a", epoch, text)
		case "a claim":
			_, err := s.Claim(t.Context(), text)
			return err
		}
		_, err := task.Change(t.Context(), s, "a", func(r *task.Record) error {
			d := *r.Durable
			r.Durable = &d
			value := json.RawMessage(`"` + text + `"`)
			switch name {
			case "a question":
				r.Status, r.Inputs = task.StatusInputRequired, []task.Input{{Key: "k", Request: value}}
			case "an answer":
				r.Inputs = []task.Input{{Key: r.Inputs[0].Key, Request: r.Inputs[0].Request, Answer: value}}
			case "the end":
				r.Status, r.Result = task.StatusCompleted, value
			default:
				r.Status, r.Inputs, d.Journal = task.StatusWorking, nil, value
			}
			return nil
		})
		return err
	}
}
