package tasks_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/runtime/internal/tasks"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/taskqueue"
)

// fakeCall is a call whose tool runs until its context ends.
type fakeCall struct {
	ctx    context.Context
	end    context.CancelCauseFunc
	run    *tasks.Run
	begun  bool
	status task.Status // last announced status
}

func newCall(t *testing.T) *fakeCall {
	t.Helper()
	c := &fakeCall{}
	c.ctx, c.end = context.WithCancelCause(t.Context())
	return c
}

func (c *fakeCall) Context() context.Context { return c.ctx }
func (c *fakeCall) End(cause error)          { c.end(cause) }
func (c *fakeCall) Caller() admission.Caller { return admission.Trusted }
func (c *fakeCall) Attr() slog.Attr          { return slog.String("tool", "t") }
func (c *fakeCall) RequestID() string        { return "1" }
func (c *fakeCall) Stopped()                 {}
func (c *fakeCall) Begin()                   { c.begun = true }
func (c *fakeCall) Hold() (drop func())      { return func() {} }
func (c *fakeCall) Announce(r task.Record)   { c.status = r.Status }

func (c *fakeCall) RecordEnded(r task.Record) {
	c.end(taskengine.ErrCancelled)
	c.run.Announce(&r)
}

// begin starts a task.
func begin(t *testing.T, ts *tasks.Tasks, durable *task.Durable) *fakeCall {
	t.Helper()
	c := newCall(t)
	var err error
	if c.run, err = ts.Create(c, task.Record{Tool: "t", TTL: time.Hour, PollInterval: time.Second, Durable: durable}); err != nil {
		t.Fatal(err)
	}
	c.run.Begin()
	return c
}

// complete ends the task of the call with a result.
func (c *fakeCall) complete() (last task.Record, isThis, stored bool) {
	defer c.end(nil)
	defer c.run.Leave()
	c.run.Conclude(func() {
		end := *c.run.Record()
		end.Status, end.Result = task.StatusCompleted, json.RawMessage(`{}`)
		last, isThis, stored = c.run.End(&end)
	})
	return last, isThis, stored
}

func newTasks(store task.Store) *tasks.Tasks {
	return tasks.New(store, taskengine.Config{Log: slog.New(slog.DiscardHandler), MaxRunning: 2, MaxRunningPerCaller: 2, MaxJournal: 1000, Grace: time.Second})
}

// TestRun: progress and the end of a task are stored, the number of running tasks is limited, and Shutdown waits for them.
func TestRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ts := newTasks(nil)
		first, second := begin(t, ts, nil), begin(t, ts, nil)
		if _, err := ts.Create(newCall(t), task.Record{TTL: time.Hour}); !errors.Is(err, taskengine.ErrTooMany) {
			t.Errorf("Create of a third task = %v, want ErrTooMany", err)
		}
		first.run.Report("half", time.Second)
		synctest.Wait()
		if r, err := ts.Store().Get(t.Context(), first.run.Record().ID); err != nil || r.Message != "half" {
			t.Errorf("stored message = %q, %v, want half", r.Message, err)
		}
		if r, isThis, stored := first.complete(); r.Status != task.StatusCompleted || !isThis || !stored || first.status != task.StatusCompleted {
			t.Errorf("end: status %s, isThis %t, stored %t, announced %s", r.Status, isThis, stored, first.status)
		}
		time.AfterFunc(time.Minute, func() { second.complete() })
		if err := ts.Shutdown(t.Context()); err != nil || second.status != task.StatusCompleted {
			t.Errorf("Shutdown = %v, status of the second task %s", err, second.status)
		}
		if _, err := ts.Create(newCall(t), task.Record{TTL: time.Hour}); !errors.Is(err, taskengine.ErrClosed) {
			t.Errorf("Create after Shutdown = %v, want ErrClosed", err)
		}
	})
}

// TestRunCancelled: a task that is cancelled in the store ends, and its result is dropped.
func TestRunCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := task.NewMemory(task.MemoryLimits{})
		c := begin(t, newTasks(store), nil)
		_, err := task.Change(t.Context(), store, c.run.Record().ID, func(r *task.Record) error {
			r.Status = task.StatusCancelled
			return nil
		})
		synctest.Wait()
		if cause := context.Cause(c.ctx); err != nil || !errors.Is(cause, taskengine.ErrCancelled) || c.status != task.StatusCancelled {
			t.Errorf("status %s, Cause = %v (%v), want cancelled", c.status, cause, err)
		}
		if r, isThis, _ := c.complete(); r.Status != task.StatusCancelled || isThis {
			t.Errorf("status %s, isThis %t, want cancelled, false", r.Status, isThis)
		}
	})
}

// full is a store that rejects updates while its flag is set.
type full struct {
	task.Store
	is atomic.Bool
}

func (s *full) Update(ctx context.Context, r task.Record) (task.Record, error) {
	if s.is.Load() {
		return task.Record{}, errors.New("the disk is full")
	}
	return s.Store.Update(ctx, r)
}

// TestRunNotStored: an end that cannot be stored is visible from memory, and stored when the store works again.
func TestRunNotStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &full{Store: struct{ task.Store }{task.NewMemory(task.MemoryLimits{})}}
		ts := newTasks(store)
		c := begin(t, ts, nil)
		store.is.Store(true)
		if r, isThis, stored := c.complete(); r.Status != task.StatusFailed || !isThis || stored {
			t.Errorf("end: status %s, isThis %t, stored %t; want failed, true, false", r.Status, isThis, stored)
		}
		id := c.run.Record().ID
		if r, err := ts.Store().Get(t.Context(), id); err != nil || r.Status != task.StatusFailed {
			t.Errorf("visible status %s (%v), want failed", r.Status, err)
		}
		if r, err := store.Get(t.Context(), id); err != nil || r.Status != task.StatusWorking {
			t.Errorf("stored status %s (%v), want working", r.Status, err)
		}
		store.is.Store(false)
		time.Sleep(time.Minute)
		if r, err := store.Get(t.Context(), id); err != nil || r.Status != task.StatusFailed {
			t.Errorf("status stored later %s (%v), want failed", r.Status, err)
		}
	})
}

// fakeServer runs every task again.
type fakeServer struct{ calls chan *fakeCall }

func (fakeServer) GivenUp(*task.Record) {}

func (s fakeServer) Rerun(run *tasks.Run) (call tasks.Call, why string, lacksTool bool) {
	c := &fakeCall{run: run}
	c.ctx, c.end = context.WithCancelCause(context.Background())
	s.calls <- c
	return c, "", false
}

// TestRunHandedOver: a durable task that Shutdown interrupts is released, and another server reruns it at once.
func TestRunHandedOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := taskqueue.NewMemory(task.MemoryLimits{}, 0)
		ts, other := newTasks(store), newTasks(store)
		c := begin(t, ts, &task.Durable{})
		context.AfterFunc(c.ctx, func() {
			c.run.Conclude(func() {
				if !c.run.HandOver() {
					t.Error("HandOver = false, want true")
				}
			})
			c.run.Leave()
		})
		stopped, stop := context.WithCancel(t.Context())
		stop()
		if err := ts.Shutdown(stopped); err != nil {
			t.Errorf("Shutdown = %v", err)
		}
		claiming, stop := context.WithCancel(t.Context())
		defer stop()
		server := fakeServer{make(chan *fakeCall, 1)}
		other.ClaimWhile(claiming, server)
		again := <-server.calls
		synctest.Wait()
		if r := again.run.Record(); r.ID != c.run.Record().ID || r.Durable.Epoch != 2 || !again.begun {
			t.Errorf("got run %d, begun %t; want run 2 of the same task", r.Durable.Epoch, again.begun)
		}
		if r, isThis, stored := again.complete(); r.Status != task.StatusCompleted || !isThis || !stored {
			t.Errorf("end: status %s, isThis %t, stored %t; want completed, true, true", r.Status, isThis, stored)
		}
	})
}
