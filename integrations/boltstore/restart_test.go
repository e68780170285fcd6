package boltstore_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// put creates a task and, unless change is nil, updates it. It returns the stored record.
func put(t *testing.T, s task.Store, r task.Record, change func(*task.Record)) task.Record {
	t.Helper()
	if err := s.Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if change == nil {
		return r
	}
	change(&r)
	r, err := s.Update(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// reopen closes a store and opens its file again. A test that calls it in fake time is not parallel: a process started
// by another test briefly inherits the locks of all open files, and Open, in fake time, would not wait long enough.
func reopen(t *testing.T, s *boltstore.Store, path string, limits boltstore.Limits) *boltstore.Store {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := boltstore.Open(path, limits)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRestart checks that after a restart completed tasks are unchanged, unfinished ones have failed, and expired ones
// are gone, and that this is permanent.
func TestRestart(t *testing.T) { //nolint:paralleltest // see reopen
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "tasks.db")
		s, err := boltstore.Open(path, boltstore.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]task.Record{}
		for id, change := range map[string]func(*task.Record){
			"completed": func(r *task.Record) {
				r.Status, r.Message, r.Result = task.StatusCompleted, "done", json.RawMessage(`{"content":[{"text":"<ü>"}]}`)
			},
			"failed":    func(r *task.Record) { r.Status, r.Error = task.StatusFailed, json.RawMessage(`{"code":-32603}`) },
			"cancelled": func(r *task.Record) { r.Status = task.StatusCancelled },
			"working":   nil,
			"told":      func(r *task.Record) { r.Message = "half of it" },
			"asking": func(r *task.Record) {
				r.Status, r.Asked = task.StatusInputRequired, 1
				r.Inputs = []task.Input{{Key: "k", Request: json.RawMessage(`{"method":"roots/list"}`)}}
			},
		} {
			want[id] = put(t, s, tasktest.Record(id, "ann", time.Hour), change)
		}
		put(t, s, tasktest.Record("brief", "ann", time.Minute), func(r *task.Record) { r.Status = task.StatusCompleted })
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if s, err = boltstore.Open(path, boltstore.Limits{}); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			for id, before := range want {
				r, err := s.Get(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				if before.Status.Ended() {
					if diff := cmp.Diff(before, r); diff != "" {
						t.Errorf("%s is another (-before +after):\n%s", id, diff)
					}
				} else if r.Status != task.StatusFailed || r.Error == nil || r.Message == "" || r.Inputs != nil || r.Version <= 1 {
					t.Errorf("%s has no honest end: %+v", id, r)
				} else {
					want[id] = r // the next process changes nothing
				}
			}
			if all, err := s.List(t.Context(), task.Owner{Principal: "ann"}, "", 100); err != nil || len(all) != len(want) {
				t.Errorf("%d tasks are listed, want %d, %v", len(all), len(want), err)
			}
			time.Sleep(time.Second) // an end computed anew would have another time
			s = reopen(t, s, path, boltstore.Limits{})
		}
		if err := s.Create(t.Context(), tasktest.Record("brief", "ann", time.Minute)); err != nil {
			t.Errorf("the id of what has expired: %v", err)
		}
		if _, err := s.Wait(t.Context(), "completed", want["completed"].Version); !errors.Is(err, task.ErrNotFound) {
			t.Errorf("what was read from the file does not expire: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestRestartLimits checks that records already in the file count toward the limits.
func TestRestartLimits(t *testing.T) {
	t.Parallel()
	for name, limits := range map[string]boltstore.Limits{
		"tasks":         {Tasks: 1},
		"per principal": {PerPrincipal: 1},
		"bytes":         {Bytes: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "tasks.db")
			s, err := boltstore.Open(path, limits)
			if err != nil {
				t.Fatal(err)
			}
			put(t, s, tasktest.Record("a", "ann", time.Hour), func(r *task.Record) { r.Status = task.StatusCompleted })
			s = reopen(t, s, path, limits)
			defer s.Close()
			for _, step := range []struct {
				principal string
				want      error
			}{{"ann", task.ErrFull}, {"bob", map[bool]error{false: task.ErrFull}[limits.PerPrincipal == 1]}} {
				if err := s.Create(t.Context(), tasktest.Record("of "+step.principal, step.principal, time.Hour)); !errors.Is(err, step.want) {
					t.Errorf("a second task, of %s: %v, want %v", step.principal, err, step.want)
				}
			}
			for _, id := range []string{"a", "of bob"} {
				if err := s.Delete(t.Context(), id); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Create(t.Context(), tasktest.Record("c", "ann", time.Hour)); err != nil {
				t.Errorf("after all have gone: %v", err)
			}
		})
	}
}
