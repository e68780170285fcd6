package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/task"
)

// faulty is a store whose methods can fail.
type faulty struct {
	task.Store
	mu     sync.Mutex
	update func(ctx context.Context, r *task.Record) error // nil: no fault
	wait   func(ctx context.Context) error
	get    func(ctx context.Context) error
	tries  atomic.Int64 // calls of Update
}

func newFaulty() *faulty { return &faulty{Store: task.NewMemory(task.MemoryLimits{})} }

// fail makes Update call fault first; nil removes the fault.
func (s *faulty) fail(fault func(ctx context.Context, r *task.Record) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.update = fault
}

func (s *faulty) Update(ctx context.Context, r task.Record) (task.Record, error) {
	s.mu.Lock()
	fault := s.update
	s.tries.Add(1)
	s.mu.Unlock()
	if fault != nil {
		if err := fault(ctx, &r); err != nil {
			return task.Record{}, err
		}
	}
	return s.Store.Update(ctx, r)
}

func (s *faulty) Get(ctx context.Context, id string) (task.Record, error) {
	s.mu.Lock()
	fault := s.get
	s.mu.Unlock()
	if fault != nil {
		if err := fault(ctx); err != nil {
			return task.Record{}, err
		}
	}
	return s.Store.Get(ctx, id)
}

func (s *faulty) Wait(ctx context.Context, id string, seen uint64) (task.Record, error) {
	s.mu.Lock()
	fault := s.wait
	s.mu.Unlock()
	if fault != nil {
		if err := fault(ctx); err != nil {
			return task.Record{}, err
		}
	}
	return s.Store.Wait(ctx, id, seen)
}

func diskFull(context.Context, *task.Record) error { return errDisk }

// untilTimeout blocks until the context ends.
func untilTimeout(ctx context.Context, _ *task.Record) error { <-ctx.Done(); return ctx.Err() }

// noResults is a fault that rejects records with a result.
func noResults(_ context.Context, r *task.Record) error {
	if r.Result != nil {
		return errDisk
	}
	return nil
}

// brief returns a tool that runs as a task for two seconds.
func brief(t *testing.T) *mcptool.Tool {
	t.Helper()
	return tool(t, "brief", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		select {
		case <-time.After(2 * time.Second):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: "done"}}}, nil
	}, mcptool.Task(mcptool.TaskSupportRequired))
}

const notStored = `"error":{"code":-32603,"message":"the result of the task could not be stored`

// TestTaskEndNotStored: if the end of a task cannot be stored, the client still sees that the task has ended.
func TestTaskEndNotStored(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, reason string
		fault        func(ctx context.Context, r *task.Record) error
		repaired     time.Duration // time from the end until the store works; 0: never
		now, later   string        // answer of tasks/get after 30 s and 10 min later
	}{
		{"one second", "a retry stores the result", diskFull, time.Second, `"status":"completed"`, `"status":"completed"`},
		{"results only", "the small record is stored", noResults, 0, notStored, notStored},
		{"one minute", "shown from memory, then stored", diskFull, time.Minute, notStored, notStored},
		{"forever", "shown from memory", diskFull, 0, notStored, notStored},
		{"panic", "a panic is an error", func(context.Context, *task.Record) error { panic("broken") }, time.Minute, notStored, notStored},
		{"conflict", "another update is always first", func(context.Context, *task.Record) error { return task.ErrConflict }, time.Minute, notStored, notStored},
		{"timeout", "Update returns when its context ends", untilTimeout, time.Minute, notStored, notStored},
		{"full", "ErrFull is not retried", func(_ context.Context, r *task.Record) error {
			if r.Result != nil {
				return task.ErrFull
			}
			return nil
		}, 0, notStored + ": the task store is full", notStored},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := newFaulty()
				srv := taskServer(t, brief(t))
				srv.Tasks = tasks.New(store)
				log := logged(srv, slog.LevelError)
				w := open(t, srv)
				w.send(tasked("1", "tools/call", `,"name":"brief"`))
				id, _ := taskOf(t, w.next())
				store.fail(test.fault)
				time.Sleep(2 * time.Second)
				if test.repaired > 0 {
					time.AfterFunc(test.repaired, func() { store.fail(nil) })
				}
				look := func(want string) {
					w.send(tasked("2", "tasks/get", `,"taskId":"`+id+`"`))
					if answer := w.next(); !strings.Contains(answer, want) {
						t.Errorf("%s: got %s, want %s", test.reason, answer, want)
					}
				}
				time.Sleep(30 * time.Second)
				look(test.now)
				if !strings.Contains(log.String(), "task") && test.repaired != time.Second {
					t.Errorf("the fault was not logged: %q", log)
				}
				time.Sleep(10 * time.Minute)
				look(test.later)
				kept, err := store.Store.Get(t.Context(), id)
				if err != nil || kept.Status.Ended() != (test.repaired > 0 || test.name != "forever") {
					t.Errorf("stored record = %+v, %v", kept, err)
				}
				if tries := store.tries.Load(); tries > 60 && test.name != "conflict" {
					t.Errorf("Update was called %d times, want at most 60", tries)
				}
				time.Sleep(time.Hour) // nothing runs after the TTL
				w.send(tasked("3", "tasks/get", `,"taskId":"`+id+`"`))
				w.want(`"code":-32602`)
			})
		})
	}
}

// openAsAnn opens a session of revision 2025-11-25 at a server with the store and the tool brief. send sends a message of
// the principal ann.
func openAsAnn(t *testing.T, store task.Store) (w *wire, send func(msg string)) {
	t.Helper()
	srv := taskServer(t, brief(t))
	srv.Tasks = tasks.New(store)
	w = open(t, srv)
	send = func(msg string) { w.session.Serve(access(srv, msg, "ann"), writerOf(w)) }
	send(legacy("0", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}`))
	w.next()
	return w, send
}

// TestTaskEndShown: an end in memory is visible to each legacy method and to requests that wait.
func TestTaskEndShown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newFaulty()
		w, say := openAsAnn(t, store)
		say(legacy("1", "tools/call", `"name":"brief","task":{}`))
		id, _ := taskOf(t, w.next())
		store.fail(diskFull)
		say(legacy("2", "tasks/result", `"taskId":"`+id+`"`)) // waits in the store
		time.Sleep(time.Minute)
		answers := w.next() + w.next()
		if !strings.Contains(answers, "notifications/tasks/status") || !strings.Contains(answers, `"status":"failed"`) ||
			!strings.Contains(answers, `"id":2,`+notStored) {
			t.Errorf("got %s, want a failed status and an error", answers)
		}
		for _, step := range []struct{ method, params, want string }{
			{"tasks/get", `"taskId":"` + id + `"`, `"status":"failed"`},
			{"tasks/list", "", `"status":"failed"`},
			{"tasks/result", `"taskId":"` + id + `"`, notStored},
			{"tasks/cancel", `"taskId":"` + id + `"`, "the task has ended; it is failed"},
		} {
			say(legacy("3", step.method, step.params))
			if answer := w.next(); !strings.Contains(answer, step.want) {
				t.Errorf("%s: got %s, want %s", step.method, answer, step.want)
			}
		}
	})
}

// TestTaskEndSubscribed: subscribers are notified of an end in memory.
func TestTaskEndSubscribed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newFaulty()
		srv := taskServer(t, brief(t))
		srv.Tasks = tasks.New(store)
		w := open(t, srv)
		w.send(tasked("1", "tools/call", `,"name":"brief"`))
		id, _ := taskOf(t, w.next())
		store.fail(diskFull)
		w.send(tasked("2", "subscriptions/listen", `,"notifications":{"taskIds":["`+id+`"]}`))
		w.want("notifications/subscriptions/acknowledged")
		w.want(`"status":"working"`)
		time.Sleep(time.Minute)
		w.want(`"status":"failed"`)
	})
}

// TestTaskEndCancelledElsewhere: a task that another instance cancels while its end cannot be stored stays cancelled.
func TestTaskEndCancelledElsewhere(t *testing.T) {
	t.Parallel()
	for _, after := range []time.Duration{time.Second, 30 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			store := newFaulty()
			srv := taskServer(t, brief(t))
			srv.Tasks = tasks.New(store)
			w := open(t, srv)
			w.send(tasked("1", "tools/call", `,"name":"brief"`))
			id, _ := taskOf(t, w.next())
			store.fail(diskFull)
			time.Sleep(2*time.Second + after)
			if _, err := task.Change(t.Context(), store.Store, id, func(r *task.Record) error { r.Status = task.StatusCancelled; return nil }); err != nil {
				t.Error(err)
			}
			store.fail(nil)
			time.Sleep(2 * time.Minute)
			if got := w.status(id); got != "cancelled" {
				t.Errorf("cancelled after %v: status %s, want cancelled", after, got)
			}
		})
	}
}

// TestTaskEndsUnstoredBounded: ends that are not stored count as running tasks, which limits their memory, until they
// are stored.
func TestTaskEndsUnstoredBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newFaulty()
		srv := taskServer(t, brief(t))
		srv.Tasks, srv.Limits.Tasks.MaxRunning, srv.Limits.Tasks.MaxRunningPerCaller = tasks.New(store), 3, 2
		w := open(t, srv)
		call := func(principal string) string {
			w.session.Serve(access(srv, tasked("1", "tools/call", `,"name":"brief"`), principal), writerOf(w))
			return w.next()
		}
		store.fail(diskFull)
		for _, step := range []struct {
			principal string
			refused   bool
		}{{"ann", false}, {"ann", false}, {"ann", true}, {"bob", false}, {"bob", true}} {
			if answer := call(step.principal); strings.Contains(answer, "too many tasks are running") != step.refused {
				t.Errorf("%s: got %s, want a rejection: %t", step.principal, answer, step.refused)
			}
			time.Sleep(time.Minute)
		}
		store.fail(nil)
		time.Sleep(time.Minute)
		if answer := call("ann"); strings.Contains(answer, "error") {
			t.Errorf("after the fault: got %s", answer)
		}
		time.Sleep(time.Minute)
	})
}

// TestTaskEndHoldsMemory: a task whose end is not stored keeps its arguments, whose memory is counted until it is stored.
func TestTaskEndHoldsMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const share = 256 << 10
		store := newFaulty()
		srv := taskServer(t, brief(t))
		srv.Tasks, srv.Limits.MaxMemoryBytes = tasks.New(store), 4*share
		w := open(t, srv)
		ann := &runtime.Access{Principal: "ann"}
		reserved, err := srv.Reserve(ann, share)
		if err != nil {
			t.Fatal(err)
		}
		store.fail(diskFull)
		m := access(srv, tasked("1", "tools/call", `,"name":"brief"`), "ann")
		m.Memory = reserved
		w.session.Serve(m, writerOf(w))
		w.next()
		reserved.Release()
		time.Sleep(time.Minute)
		if _, err := srv.Reserve(ann, share/2); err == nil {
			t.Error("the memory of the arguments is not counted")
		}
		store.fail(nil)
		time.Sleep(time.Minute)
		all, err := srv.Reserve(ann, share)
		if err != nil {
			t.Errorf("Reserve after the end is stored = %v", err)
		}
		all.Release()
	})
}

// TestTaskEndLostAtShutdown: Shutdown tries once more to store the ends in memory, and reports those that it cannot store.
func TestTaskEndLostAtShutdown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		fault func(ctx context.Context, r *task.Record) error
		lost  bool
	}{{"store works", nil, false}, {"disk full", diskFull, true}, {"store hangs", untilTimeout, true}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := newFaulty()
				srv := serve(t, brief(t))
				srv.Tasks = tasks.New(store)
				log := logged(srv, slog.LevelError)
				w := open(t, srv)
				w.send(tasked("1", "tools/call", `,"name":"brief"`))
				id, _ := taskOf(t, w.next())
				store.fail(diskFull)
				time.Sleep(time.Minute + time.Second)
				store.fail(test.fault)
				already := len(log.String())
				began := time.Now()
				err := srv.Shutdown(t.Context())
				if took := time.Since(began); took > 3*time.Second {
					t.Errorf("Shutdown took %v, want at most 3s", took)
				}
				if (err != nil) != test.lost || test.lost && !errors.Is(err, runtime.ErrNotStored) {
					t.Errorf("Shutdown = %v, want ErrNotStored: %t", err, test.lost)
				}
				if strings.Contains(log.String()[already:], "end of a task lost") != test.lost {
					t.Errorf("log of a lost end = %t, want %t: %s", !test.lost, test.lost, log)
				}
				kept, err := store.Store.Get(t.Context(), id)
				if err != nil || kept.Status.Ended() == test.lost {
					t.Errorf("stored record = %+v, %v", kept, err)
				}
			})
		})
	}
}

// TestTaskEndWhileShutDown: Shutdown does not wait for the retries of an end that cannot be stored, whether the store fails
// or hangs.
func TestTaskEndWhileShutDown(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(context.Context, *task.Record) error{
		"fails": diskFull,
		"hangs": untilTimeout,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := newFaulty()
				srv := serve(t, brief(t))
				srv.Tasks = tasks.New(store)
				w := open(t, srv)
				w.send(tasked("1", "tools/call", `,"name":"brief"`))
				id, _ := taskOf(t, w.next())
				store.fail(fault)
				time.Sleep(3 * time.Second) // the end is being retried
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				began := time.Now()
				err := srv.Shutdown(ctx)
				if took := time.Since(began); took > 13*time.Second || name == "fails" && took > 2*time.Second {
					t.Errorf("Shutdown took %v, want at most 13s, or 2s if the store fails", took)
				}
				if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, runtime.ErrNotStored) {
					t.Errorf("Shutdown = %v, want DeadlineExceeded and ErrNotStored", err)
				}
				if got := w.status(id); got != "failed" {
					t.Errorf("status %s, want failed", got)
				}
			})
		})
	}
}
