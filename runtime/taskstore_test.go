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
	"github.com/mcptool-go/mcptool/task"
)

// faulty is a store whose methods a test makes fail.
type faulty struct {
	task.Store
	mu     sync.Mutex
	update func(ctx context.Context, r *task.Record) error // nil when it works
	wait   func(ctx context.Context) error
	get    func(ctx context.Context) error
	tries  atomic.Int64 // calls of Update
}

func newFaulty() *faulty { return &faulty{Store: task.NewMemory(task.MemoryLimits{})} }

// fail has Update return what fault does, and nil repairs it.
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

// untilTimeout hangs until the context ends.
func untilTimeout(ctx context.Context, _ *task.Record) error { <-ctx.Done(); return ctx.Err() }

// noResults is a disk with room for small records only.
func noResults(_ context.Context, r *task.Record) error {
	if r.Result != nil {
		return errDisk
	}
	return nil
}

// brief is a tool that runs as a task for two seconds.
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

// TestTaskEndNotStored: however the store fails when a task ends, the client is told that the task has ended.
func TestTaskEndNotStored(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, reason string
		fault        func(ctx context.Context, r *task.Record) error
		repaired     time.Duration // after the end; 0 is never
		now, later   string        // what tasks/get answers after half a minute, and after ten more
	}{
		{"for a moment", "a retry stores the result", diskFull, time.Second, `"status":"completed"`, `"status":"completed"`},
		{"for results", "the small record is stored", noResults, 0, notStored, notStored},
		{"for minutes", "it is shown from memory, then stored", diskFull, time.Minute, notStored, notStored},
		{"forever", "it is shown from memory", diskFull, 0, notStored, notStored},
		{"it panics", "a panic is an error", func(context.Context, *task.Record) error { panic("broken") }, time.Minute, notStored, notStored},
		{"it conflicts", "somebody else always is first", func(context.Context, *task.Record) error { return task.ErrConflict }, time.Minute, notStored, notStored},
		{"it hangs", "it returns when its context ends", untilTimeout, time.Minute, notStored, notStored},
		{"it has no room", "there is nothing to retry", func(_ context.Context, r *task.Record) error {
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
				srv.Tasks = store
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
					t.Errorf("logged %q", log)
				}
				time.Sleep(10 * time.Minute)
				look(test.later)
				kept, err := store.Store.Get(t.Context(), id)
				if err != nil || kept.Status.Ended() != (test.repaired > 0 || test.name != "forever") {
					t.Errorf("the store has %+v, %v", kept, err)
				}
				if tries := store.tries.Load(); tries > 60 && test.name != "it conflicts" {
					t.Errorf("it was tried %d times", tries)
				}
				time.Sleep(time.Hour) // nothing runs after the TTL
				w.send(tasked("3", "tasks/get", `,"taskId":"`+id+`"`))
				w.want(`"code":-32602`)
			})
		})
	}
}

// openAsAnn begins a session of revision 2025-11-25 with a server that has the store and the tool brief, and returns what
// sends to it as the principal ann.
func openAsAnn(t *testing.T, store task.Store) (w *wire, send func(msg string)) {
	t.Helper()
	srv := taskServer(t, brief(t))
	srv.Tasks = store
	w = open(t, srv)
	send = func(msg string) { w.session.Serve(access(srv, msg, "ann"), exchangeOf(w)) }
	send(legacy("0", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}`))
	w.next()
	return w, send
}

// TestTaskEndShown: what is shown from memory is shown by each method of the handshake era, and to those who wait.
func TestTaskEndShown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newFaulty()
		w, say := openAsAnn(t, store)
		say(legacy("1", "tools/call", `"name":"brief","task":{}`))
		id, _ := taskOf(t, w.next())
		store.fail(diskFull)
		say(legacy("2", "tasks/result", `"taskId":"`+id+`"`)) // it waits in the store
		time.Sleep(time.Minute)
		answers := w.next() + w.next()
		if !strings.Contains(answers, "notifications/tasks/status") || !strings.Contains(answers, `"status":"failed"`) ||
			!strings.Contains(answers, `"id":2,`+notStored) {
			t.Errorf("got %s", answers)
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

// TestTaskEndSubscribed: who listens to a task is told of an end that is shown from memory.
func TestTaskEndSubscribed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newFaulty()
		srv := taskServer(t, brief(t))
		srv.Tasks = store
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

// TestTaskEndCancelledElsewhere: a task that another instance has cancelled while its end could not be stored stays cancelled.
func TestTaskEndCancelledElsewhere(t *testing.T) {
	t.Parallel()
	for _, after := range []time.Duration{time.Second, 30 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			store := newFaulty()
			srv := taskServer(t, brief(t))
			srv.Tasks = store
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
				t.Errorf("cancelled after %v: it is %s", after, got)
			}
		})
	}
}

// TestTaskEndsUnstoredBounded: ends that are not stored count among the tasks that run, so that what is kept of them
// is bounded, and no longer once they are stored.
func TestTaskEndsUnstoredBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newFaulty()
		srv := taskServer(t, brief(t))
		srv.Tasks, srv.Limits.Tasks.MaxRunning, srv.Limits.Tasks.MaxRunningPerCaller = store, 3, 2
		w := open(t, srv)
		call := func(principal string) string {
			w.session.Serve(access(srv, tasked("1", "tools/call", `,"name":"brief"`), principal), exchangeOf(w))
			return w.next()
		}
		store.fail(diskFull)
		for _, step := range []struct {
			principal string
			refused   bool
		}{{"ann", false}, {"ann", false}, {"ann", true}, {"bob", false}, {"bob", true}} {
			if answer := call(step.principal); strings.Contains(answer, "too many tasks are running") != step.refused {
				t.Errorf("%s: %s", step.principal, answer)
			}
			time.Sleep(time.Minute)
		}
		store.fail(nil)
		time.Sleep(time.Minute)
		if answer := call("ann"); strings.Contains(answer, "error") {
			t.Errorf("when the store works again: %s", answer)
		}
		time.Sleep(time.Minute)
	})
}

// TestTaskEndHoldsMemory: a task whose end is not stored keeps its arguments, which count as memory until it is stored.
func TestTaskEndHoldsMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const share = 256 << 10
		store := newFaulty()
		srv := taskServer(t, brief(t))
		srv.Tasks, srv.Limits.MaxMemoryBytes = store, 4*share
		w := open(t, srv)
		ann := &runtime.Access{Principal: "ann"}
		reserved, err := srv.Reserve(ann, share)
		if err != nil {
			t.Fatal(err)
		}
		store.fail(diskFull)
		m := access(srv, tasked("1", "tools/call", `,"name":"brief"`), "ann")
		m.Memory = reserved
		w.session.Serve(m, exchangeOf(w))
		w.next()
		reserved.Release()
		time.Sleep(time.Minute)
		if _, err := srv.Reserve(ann, share/2); err == nil {
			t.Error("the arguments do not count any more")
		}
		store.fail(nil)
		time.Sleep(time.Minute)
		all, err := srv.Reserve(ann, share)
		if err != nil {
			t.Errorf("after the end is stored: %v", err)
		}
		all.Release()
	})
}

// TestTaskEndLostAtShutdown: Shutdown tries once more to store what was shown from memory, and says what it could not.
func TestTaskEndLostAtShutdown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		fault func(ctx context.Context, r *task.Record) error
		lost  bool
	}{{"the store works again", nil, false}, {"the disk is full", diskFull, true}, {"the store hangs", untilTimeout, true}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := newFaulty()
				srv := serve(t, brief(t))
				srv.Tasks = store
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
					t.Errorf("Shutdown took %v", took)
				}
				if (err != nil) != test.lost || test.lost && !errors.Is(err, runtime.ErrNotStored) {
					t.Errorf("Shutdown returned %v", err)
				}
				if strings.Contains(log.String()[already:], "end of a task lost") != test.lost {
					t.Errorf("logged %s", log)
				}
				kept, err := store.Store.Get(t.Context(), id)
				if err != nil || kept.Status.Ended() == test.lost {
					t.Errorf("the store has %+v, %v", kept, err)
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
				srv.Tasks = store
				w := open(t, srv)
				w.send(tasked("1", "tools/call", `,"name":"brief"`))
				id, _ := taskOf(t, w.next())
				store.fail(fault)
				time.Sleep(3 * time.Second) // its end is being tried
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				began := time.Now()
				err := srv.Shutdown(ctx)
				if took := time.Since(began); took > 13*time.Second || name == "fails" && took > 2*time.Second {
					t.Errorf("Shutdown took %v", took)
				}
				if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, runtime.ErrNotStored) {
					t.Errorf("Shutdown returned %v", err)
				}
				if got := w.status(id); got != "failed" {
					t.Errorf("it is %s", got)
				}
			})
		})
	}
}
