package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/taskqueue"
)

// many starts n tasks of a tool.
func (in *runner) many(name string, n int) (ids []string) {
	in.t.Helper()
	for range n {
		ids = append(ids, in.begin(name))
	}
	return ids
}

// wantAll checks that all tasks have completed without an error.
func wantAll(t *testing.T, q task.Queue, ids []string) {
	t.Helper()
	for _, id := range ids {
		if r, err := q.Get(t.Context(), id); err != nil || r.Status != task.StatusCompleted || strings.Contains(string(r.Result), "isError") {
			t.Errorf("task status %s, want completed: %s %s %+v, %v", r.Status, r.Message, r.Result, r.Durable, err)
		}
	}
}

// TestDurableManyOfOneCaller: a server that takes over more tasks of one caller than MaxRunningPerCaller runs them all, and
// waiting is not a failed attempt.
func TestDurableManyOfOneCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := taskqueue.NewMemory(task.MemoryLimits{}, 0)
		all := runners(t, 3, q, func(i int) *mcptool.Tool {
			return tool(t, "work", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
				if i < 2 {
					return untilEnd(ctx)
				}
				time.Sleep(5 * time.Minute)
				return &mcptool.Result{}, nil
			}, durably()...)
		}, func(srv *runtime.Server) { srv.Limits.Tasks.MaxRunningPerCaller = 4 })
		ids := append(all[0].many("work", 4), all[1].many("work", 4)...)
		all[0].link.cut()
		all[1].link.cut()
		time.Sleep(10 * time.Minute)
		wantAll(t, q, ids)
	})
}

// TestDurableConcurrent: runs of a tool with Concurrent(1) wait for each other for any time.
func TestDurableConcurrent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := taskqueue.NewMemory(task.MemoryLimits{}, 0)
		all := runners(t, 2, q, func(i int) *mcptool.Tool {
			opts := durably(mcptool.Concurrent(1))
			if i == 0 {
				opts = durably()
			}
			return tool(t, "work", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
				if i == 0 {
					return untilEnd(ctx)
				}
				time.Sleep(time.Minute)
				return &mcptool.Result{}, nil
			}, opts...)
		}, func(srv *runtime.Server) { runtime.Fixed(srv).MaxWaitingCalls = 2 })
		ids := all[0].many("work", 8)
		all[0].link.cut()
		time.Sleep(20 * time.Minute)
		wantAll(t, q, ids)
	})
}

// TestDurableDeploys: servers that are shut down soon after their start use up no attempts.
func TestDurableDeploys(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := taskqueue.NewMemory(task.MemoryLimits{}, 0)
		made := func(waits bool) *mcptool.Tool {
			return tool(t, "work", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
				if waits {
					return untilEnd(ctx)
				}
				return &mcptool.Result{}, nil
			}, durably()...)
		}
		next := func(waits bool) *runner { return runners(t, 1, q, func(int) *mcptool.Tool { return made(waits) })[0] }
		in := next(true)
		ids := in.many("work", 5)
		for i := range 60 {
			time.Sleep(time.Duration(i%4) * time.Millisecond)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_ = in.srv.Shutdown(ctx)
			in = next(true)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_ = in.srv.Shutdown(ctx)
		next(false)
		time.Sleep(5 * longLease)
		wantAll(t, q, ids)
	})
}

// TestDurableResultTooLarge: a result that the store cannot hold ends the task at once, with that reason.
func TestDurableResultTooLarge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		q := taskqueue.NewMemory(task.MemoryLimits{BytesPerPrincipal: 5000}, 0)
		in := runners(t, 1, q, func(int) *mcptool.Tool {
			return tool(t, "work", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
				runs++
				return says(strings.Repeat("-", 10_000)), nil
			}, durably()...)
		})[0]
		id := in.begin("work")
		time.Sleep(10 * longLease)
		in.wantEnd(id, `"status":"failed"`, "the result of the task could not be stored: the task store is full")
		if runs != 1 {
			t.Errorf("%d runs, want 1", runs)
		}
	})
}

// TestDurableEarlyAnswer: the next run has the answers that were sent with the call.
func TestDurableEarlyAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type name struct {
			Name string `json:"name"`
		}
		q := taskqueue.NewMemory(task.MemoryLimits{}, 0)
		all := runners(t, 2, q, func(i int) *mcptool.Tool {
			return tool(t, "ask", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
				answer, err := mcptool.Elicit[name](ctx, "Who?", mcptool.Key("who"))
				if err == nil && i == 0 {
					<-ctx.Done()
					err = ctx.Err()
				}
				return says(answer.Name), err
			}, durably()...)
		})
		all[0].send(tasked("1", "tools/call", `,"name":"ask","inputResponses":{"who":{"action":"accept","content":{"name":"ann"}}}`))
		id, _ := taskOf(t, all[0].next())
		synctest.Wait()
		all[0].link.cut()
		time.Sleep(2 * longLease)
		all[1].wantEnd(id, `"status":"completed"`, `"text":"ann"`)
	})
}

// entering is a queue that calls create before it creates a record.
type entering struct {
	task.Queue
	create func(task.Record)
}

func (q entering) Create(ctx context.Context, r task.Record) error {
	q.create(r)
	return q.Queue.Create(ctx, r)
}

// TestDurablePromotion: when a call becomes a task, the record has all values that Once has returned.
func TestDurablePromotion(t *testing.T) {
	t.Parallel()
	var kept atomic.Int64
	var created atomic.Bool
	srv := taskServer(t, tool(t, "keep", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		for i := 0; !created.Load(); i++ {
			if _, err := mcptool.Once(ctx, fmt.Sprint(i), func(context.Context) (int, error) { return i, nil }); err != nil {
				return nil, err
			}
			kept.Add(1)
		}
		return &mcptool.Result{}, nil
	}, mcptool.Task(mcptool.TaskSupportOptional), mcptool.Durable(true)))
	srv.Limits.Tasks.Delay = time.Millisecond
	srv.Tasks = tasks.New(entering{taskqueue.NewMemory(task.MemoryLimits{Tasks: 1 << 20, PerPrincipal: 1 << 20}, 0), func(r task.Record) {
		var journal struct{ O map[string]int }
		if err := json.Unmarshal(r.Durable.Journal, &journal); err != nil {
			t.Error(err)
		}
		if n := kept.Load(); int64(len(journal.O)) < n {
			t.Errorf("the new record has %d values of Once, want at least %d", len(journal.O), n)
		}
		created.Store(true)
	}})
	w := open(t, srv)
	for range 100 {
		kept.Store(0)
		created.Store(false)
		w.send(tasked("1", "tools/call", `,"name":"keep"`))
		id, _ := taskOf(t, w.next())
		for ended := false; !ended; {
			w.send(tasked("2", "tasks/get", `,"taskId":"`+id+`"`))
			ended = strings.Contains(w.next(), `"status":"completed"`)
		}
	}
}

// lossy is a queue whose Create stores the record but returns an error.
type lossy struct{ task.Queue }

func (l lossy) Create(ctx context.Context, r task.Record) error {
	_ = l.Queue.Create(ctx, r)
	return errDisk
}

// blind is a queue whose Wait always fails.
type blind struct{ task.Queue }

func (blind) Wait(context.Context, string, uint64) (task.Record, error) {
	return task.Record{}, errDisk
}

// TestDurableFaults: a rejected call does not run later, and a cancelled task ends when its lease is renewed if Wait fails.
func TestDurableFaults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := taskqueue.NewMemory(task.MemoryLimits{}, 0)
		runs := 0
		in := runners(t, 1, lossy{q}, func(int) *mcptool.Tool {
			return tool(t, "work", func(context.Context, json.RawMessage) (*mcptool.Result, error) { runs++; return &mcptool.Result{}, nil }, durably()...)
		})[0]
		in.send(tasked("1", "tools/call", `,"name":"work"`))
		in.want(`"code":-32603`)
		time.Sleep(3 * longLease)
		if runs != 0 {
			t.Error("the rejected call has run")
		}
		ended := make(chan error, 1)
		other := runners(t, 1, blind{taskqueue.NewMemory(task.MemoryLimits{}, 0)}, func(int) *mcptool.Tool { return waiting(t, "wait", ended, mcptool.Durable(true)) })[0]
		id := other.begin("wait")
		if _, err := task.Change(t.Context(), other.link, id, func(r *task.Record) error { r.Status = task.StatusCancelled; return nil }); err != nil {
			t.Fatal(err)
		}
		time.Sleep(longLease)
		select {
		case <-ended:
		default:
			t.Error("the cancelled task is still running")
		}
	})
}

// TestOnceKey: keys that JSON cannot represent are rejected.
func TestOnceKey(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "file \xff"} {
		if _, err := mcptool.Once(t.Context(), key, func(context.Context) (int, error) { return 1, nil }); err == nil {
			t.Errorf("Once accepts the key %q", key)
		}
	}
	if _, err := mcptool.Elicit[struct {
		Name string `json:"name"`
	}](t.Context(), "Who?", mcptool.Key("\xff")); err == nil || !strings.Contains(fmt.Sprint(err), "UTF-8") {
		t.Errorf("Elicit with an invalid key = %v, want an error about UTF-8", err)
	}
}

// full is a store whose Create always fails with ErrFull.
type full struct{ task.Store }

func (full) Create(context.Context, task.Record) error {
	return fmt.Errorf("%w: account 7 has 3 GB", task.ErrFull)
}

// TestTaskStoreFull: the reason of a full store is logged, and not sent to the client.
func TestTaskStoreFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "must", echo, mcptool.Task(mcptool.TaskSupportRequired)))
		srv.Tasks = tasks.New(full{})
		log := logged(srv, slog.LevelWarn)
		w := open(t, srv)
		w.send(tasked("1", "tools/call", `,"name":"must"`))
		w.want(`"error":{"code":-32603,"message":"the task store is full"}`)
		if !strings.Contains(log.String(), "account 7") {
			t.Errorf("the log lacks the reason:\n%s", log)
		}
	})
}
