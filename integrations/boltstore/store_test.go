package boltstore_test

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/internal/testing/child"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// open opens the file and closes it when the test ends.
func open(t *testing.T, path string, limits boltstore.Limits) *boltstore.Store {
	t.Helper()
	s, err := boltstore.Open(path, limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	t.Parallel()
	tasktest.RunQueue(t, func(t *testing.T) task.Queue {
		t.Helper()
		return open(t, filepath.Join(t.TempDir(), "tasks.db"), boltstore.Limits{Lease: time.Second})
	})
}

func TestLimits(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tasks.db")
	synctest.Test(t, func(t *testing.T) {
		s := open(t, path, boltstore.Limits{Tasks: 2})
		const brief = 100 * time.Millisecond
		for _, step := range []struct {
			id   string
			ttl  time.Duration
			want error
		}{{"a", brief, nil}, {"b", time.Hour, nil}, {"c", time.Hour, task.ErrFull}} {
			if err := s.Create(t.Context(), tasktest.Record(step.id, "ann", step.ttl)); !errors.Is(err, step.want) {
				t.Errorf("task %s: %v, want %v", step.id, err, step.want)
			}
		}
		time.Sleep(brief)
		synctest.Wait()
		if err := s.Create(t.Context(), tasktest.Record("c", "ann", time.Hour)); err != nil {
			t.Errorf("what has expired is not deleted: %v", err)
		}
	})
}

// victim is the environment variable that makes the test run as a process to be killed.
const victim = "BOLTSTORE_VICTIM"

// TestKill repeatedly kills a process in the middle of its tasks: completed tasks are kept, and
// unfinished ones have failed with the reason.
func TestKill(t *testing.T) {
	if path := os.Getenv(victim); path != "" {
		work(t, path)
		return
	}
	t.Parallel()
	rounds := 50
	if testing.Short() {
		rounds = 3
	}
	path := filepath.Join(t.TempDir(), "tasks.db")
	finished, failed := map[string]bool{}, 0
	for round := range rounds {
		for _, id := range killOne(t, path, time.Duration(round%10)*3*time.Millisecond) {
			finished[id] = true
		}
		s, err := boltstore.Open(path, boltstore.Limits{})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		failed = judge(t, s, finished)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(finished) == 0 || failed == 0 {
		t.Errorf("%d tasks were finished and %d not: nothing was tried", len(finished), failed)
	}
}

// killOne runs a victim, kills it some time after its first output, and returns the ids of the
// tasks that it reported as completed.
func killOne(t *testing.T, path string, after time.Duration) []string {
	t.Helper()
	p := child.Start(t, "TestKill", victim, path)
	defer p.Kill()
	said := json.NewDecoder(p.Out)
	var ids []string
	var id string
	timer := time.AfterFunc(time.Minute, func() { _ = p.Process.Kill() }) // in case it prints nothing
	defer timer.Stop()
	for said.Decode(&id) == nil {
		if ids = append(ids, id); len(ids) == 1 {
			timer.Reset(after)
		}
	}
	return ids
}

// judge checks that all completed tasks are stored as such. It returns the number of others.
func judge(t *testing.T, s *boltstore.Store, finished map[string]bool) (failed int) {
	t.Helper()
	there := map[string]bool{}
	for r, err := range s.Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		there[r.ID] = true
		switch r.Status {
		case task.StatusCompleted:
			if string(r.Result) != `{"content":["`+r.ID+`"]}` || r.Error != nil {
				t.Errorf("half a result: %+v", r)
			}
		case task.StatusFailed:
			failed++
			if finished[r.ID] || r.Result != nil || !strings.Contains(string(r.Error), "the server stopped before the task was done") {
				t.Errorf("no honest end: %+v", r)
			}
		default:
			t.Errorf("task %s is %s", r.ID, r.Status)
		}
	}
	for id := range finished {
		if !there[id] {
			t.Errorf("the finished task %s is gone", id)
		}
	}
	return failed
}

// work creates and completes tasks until the process is killed, and reports those completed.
func work(t *testing.T, path string) {
	t.Helper()
	s, err := boltstore.Open(path, boltstore.Limits{Lock: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	for {
		ids := make([]string, 3)
		for i := range ids {
			ids[i] = rand.Text()
			if err := s.Create(t.Context(), tasktest.Record(ids[i], "ann", time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
		for _, id := range ids[:2] {
			_, err := task.Change(t.Context(), s, id, func(r *task.Record) error {
				r.Status, r.Result = task.StatusCompleted, json.RawMessage(`{"content":["`+id+`"]}`)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(os.Stdout, "%q\n", id)
		}
	}
}
