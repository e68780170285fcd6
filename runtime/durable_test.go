package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/taskqueue"
)

// TestDurableGoesOn: when a process that runs a task loses its queue, the func is cancelled before the lease expires.
// Another process then runs it again, with the values of Once, the answers, the arguments and the caller of the first
// run.
func TestDurableGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type name struct {
			Name string `json:"name"`
		}
		made := 0
		causes := make(chan error, 9)
		began := make(chan time.Duration, 9)
		start := time.Now()
		all := runners(t, 2, taskqueue.NewMemory(task.MemoryLimits{}, 0), func(i int) *mcptool.Tool {
			return tool(t, "book", func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
				began <- time.Since(start)
				key, err := mcptool.Once(ctx, "key", func(context.Context) (string, error) { made++; return fmt.Sprint("key ", made), nil })
				if err != nil {
					return nil, err
				}
				first, err := mcptool.Elicit[name](ctx, "First?")
				if err != nil {
					return nil, err
				}
				if i == 0 {
					mcptool.Progress(ctx, 1, 2, "half done")
					<-ctx.Done()
					causes <- context.Cause(ctx)
					return nil, ctx.Err()
				}
				second, err := mcptool.Elicit[name](ctx, "Second?")
				return says(strings.Join([]string{key, first.Name, second.Name, string(args), mcptool.Caller(ctx).Tool}, ", ")), err
			}, durably()...)
		})
		a, b := all[0], all[1]
		id := a.begin("book")
		open := b.inputs(id)
		if len(open) != 1 || open["First?"] == "" {
			t.Fatalf("open questions = %v, want First?", open)
		}
		b.update(id, open["First?"], "ann") // at the instance that does not run the task
		time.Sleep(3 * time.Second)
		b.wantEnd(id, `"status":"working"`, `"statusMessage":"half done"`)

		a.link.cut()
		time.Sleep(longLease)
		if cause := <-causes; !errors.Is(cause, runtime.ErrLeaseLost) {
			t.Errorf("cause of the first run's end = %v, want ErrLeaseLost", cause)
		}
		time.Sleep(longLease)
		<-began
		if at := <-began; at < 3*time.Second+longLease-longLease/3 || at > 3*time.Second+longLease+time.Second {
			t.Errorf("the second run began after %v, want soon after the lease", at)
		}
		open = b.inputs(id)
		if len(open) != 1 || open["Second?"] == "" {
			t.Fatalf("open questions = %v, want Second?", open)
		}
		b.update(id, open["Second?"], "bob")
		synctest.Wait()
		b.wantEnd(id, `"status":"completed"`, `"text":"key 1, ann, bob, {\"n\":7}, book"`)
		a.link.mend()
		a.wantEnd(id, `"status":"completed"`)
		if made != 1 {
			t.Errorf("Once ran %d times, want 1", made)
		}
	})
}

// TestDurableQuestionStays: an open question keeps its key when its process dies, and is answered once.
func TestDurableQuestionStays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type name struct {
			Name string `json:"name"`
		}
		all := runners(t, 2, taskqueue.NewMemory(task.MemoryLimits{}, 0), func(i int) *mcptool.Tool {
			return tool(t, "ask", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
				answer, err := mcptool.Elicit[name](ctx, "Who?")
				return says(fmt.Sprint(answer.Name, " at ", i)), err
			}, durably()...)
		})
		a, b := all[0], all[1]
		id := a.begin("ask")
		before := b.inputs(id)
		a.link.cut()
		time.Sleep(2 * longLease)
		if after := b.inputs(id); len(after) != 1 || after["Who?"] != before["Who?"] {
			t.Errorf("open questions = %v, want those of the first run: %v", after, before)
		}
		b.update(id, before["Who?"], "ann")
		synctest.Wait()
		b.wantEnd(id, `"status":"completed"`, `"text":"ann at 1"`)
	})
}

// TestDurableShutdown: Shutdown releases durable tasks to other servers at once, without using up an attempt.
func TestDurableShutdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := taskqueue.NewMemory(task.MemoryLimits{}, 0)
		all := runners(t, 3, q, func(i int) *mcptool.Tool {
			return tool(t, "wait", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
				if i == 2 {
					return says("done"), nil
				}
				return untilEnd(ctx)
			}, durably()...)
		})
		id := all[0].begin("wait")
		all[2].link.cut() // so that the second instance claims it
		for i := range 2 {
			began := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if err := all[i].srv.Shutdown(ctx); err != nil {
				t.Errorf("Shutdown = %v", err)
			}
			cancel()
			if took := time.Since(began); took != time.Second {
				t.Errorf("Shutdown took %v, want 1s", took)
			}
			if i == 1 {
				all[2].link.mend()
				time.Sleep(3 * time.Second)
			}
			synctest.Wait()
		}
		r, err := q.Get(t.Context(), id)
		if err != nil || r.Status != task.StatusCompleted || r.Durable.Epoch != 3 || r.Durable.Attempts != 1 || !strings.Contains(r.Durable.GivenUp, "stopped") {
			t.Errorf("got %s %+v, %v; want completed in the third run, with one attempt", r.Status, r.Durable, err)
		}
		if r.Durable.Arguments != nil || r.Durable.Journal != nil {
			t.Errorf("the completed task keeps its arguments or journal: %+v", r.Durable)
		}
	})
}

// TestDurableDrain: a server that drains its tasks before Shutdown claims no tasks of other processes.
func TestDurableDrain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := taskqueue.NewMemory(task.MemoryLimits{}, 0)
		all := runners(t, 2, q, func(int) *mcptool.Tool {
			return tool(t, "wait", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) { return untilEnd(ctx) }, durably()...)
		})
		id := all[0].begin("wait")
		runtime.Internal(private.Key{}).DrainTasks(t.Context(), all[1].srv)
		all[0].link.cut()
		time.Sleep(2 * longLease)
		synctest.Wait()
		if r, err := q.Get(t.Context(), id); err != nil || r.Durable.Epoch != 1 {
			t.Errorf("got %+v, %v; want epoch 1", r.Durable, err)
		}
	})
}

// TestDurableShutdownWaiting: Shutdown releases a task that waits for its user at once, and the next process gets the answer.
func TestDurableShutdownWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type name struct {
			Name string `json:"name"`
		}
		q := taskqueue.NewMemory(task.MemoryLimits{}, 0)
		all := runners(t, 2, q, func(int) *mcptool.Tool {
			return tool(t, "ask", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
				answer, err := mcptool.Elicit[name](ctx, "Who?", mcptool.Key("who"))
				return says(answer.Name), err
			}, durably()...)
		})
		id := all[0].begin("ask")
		all[1].link.cut()
		began := time.Now()
		if err := all[0].srv.Shutdown(t.Context()); err != nil || time.Since(began) != 0 {
			t.Errorf("Shutdown = %v after %v, want nil at once", err, time.Since(began))
		}
		r, err := q.Get(t.Context(), id)
		if err != nil || r.Status != task.StatusInputRequired || !strings.Contains(r.Durable.GivenUp, "stopped") {
			t.Errorf("status %s, GivenUp %q, %v; want input_required, stopped", r.Status, r.Durable.GivenUp, err)
		}
		all[1].link.mend()
		time.Sleep(longLease)
		all[1].send(tasked("2", "tasks/update", `,"taskId":"`+id+`","inputResponses":{"who":{"action":"accept","content":{"name":"ann"}}}`))
		all[1].want(`"id":2,"result"`)
		synctest.Wait()
		all[1].wantEnd(id, `"status":"completed"`, `"text":"ann"`)
	})
}

// TestDurableStubborn: a func that ignores the end of its context runs at the same time as the next run, but its values and
// result are rejected.
func TestDurableStubborn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 9)
		all := runners(t, 2, taskqueue.NewMemory(task.MemoryLimits{}, 0), func(i int) *mcptool.Tool {
			return tool(t, "work", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
				time.Sleep(time.Duration(3-2*i) * time.Minute)
				_, err := mcptool.Once(ctx, "late", func(context.Context) (int, error) { return i, nil })
				ended <- err
				return says(fmt.Sprint("by ", i)), nil
			}, durably()...)
		})
		a, b := all[0], all[1]
		id := a.begin("work")
		a.link.cut()
		time.Sleep(time.Minute)
		a.link.mend()
		time.Sleep(3 * time.Minute)
		if err := <-ended; err != nil {
			t.Errorf("Once in the second run = %v", err)
		}
		if err := <-ended; err == nil {
			t.Error("Once in the first run succeeded after the lease was lost")
		}
		b.wantEnd(id, `"status":"completed"`, `"text":"by 1"`)
	})
}

// TestDurableAttempts: a task whose processes die repeatedly fails after MaxAttempts, with that reason.
func TestDurableAttempts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int32
		q := taskqueue.NewMemory(task.MemoryLimits{}, 0)
		all := runners(t, 2, q, func(int) *mcptool.Tool {
			return tool(t, "kill", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
				runs.Add(1)
				return untilEnd(ctx)
			}, durably()...)
		})
		id := all[0].begin("kill")
		for i := range 12 { // one instance dies and the other takes over
			all[i%2].link.cut()
			time.Sleep(2 * longLease)
			all[i%2].link.mend()
		}
		if runs.Load() != 5 {
			t.Errorf("%d runs, want 5", runs.Load())
		}
		all[0].wantEnd(id, `"status":"failed"`, "the task was started 5 times, and each time its process ended or lost the store before the task was done")
	})
}

// TestDurableRefused: a task that cannot run again ends with the reason.
func TestDurableRefused(t *testing.T) {
	t.Parallel()
	type name struct {
		Name string `json:"name"`
	}
	asks := func(message string) *mcptool.Tool {
		return tool(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			_, err := mcptool.Elicit[name](ctx, message)
			return &mcptool.Result{}, err
		}, durably()...)
	}
	keeps := func(value any) *mcptool.Tool {
		return tool(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			var err error
			if text, ok := value.(string); ok {
				_, err = mcptool.Once(ctx, "k", func(context.Context) (string, error) { return text, nil })
			} else {
				_, err = mcptool.Once(ctx, "k", func(context.Context) (int, error) { return 1, nil })
			}
			if err != nil {
				return nil, err
			}
			return untilEnd(ctx)
		}, durably()...)
	}
	first := keeps("text")
	other := tool(t, "y", func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil }, durably()...)
	plain := tool(t, "x", func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil }, mcptool.Task(mcptool.TaskSupportRequired))
	stricter, err := mcptool.NewRaw("x", json.RawMessage(`{"type":"object","required":["colour"]}`), echo, durably()...)
	if err != nil {
		t.Fatal(err)
	}
	question, changed, number := asks("Who?"), asks("What?"), keeps(7)
	spoil := func(change func(*task.Record)) func(*testing.T, task.Queue, string) {
		return func(t *testing.T, q task.Queue, id string) {
			t.Helper()
			if _, err := task.Change(t.Context(), q, id, func(r *task.Record) error {
				d := *r.Durable
				r.Durable = &d
				change(r)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, test := range []struct {
		name  string
		first *mcptool.Tool
		next  *mcptool.Tool
		spoil func(*testing.T, task.Queue, string)
		want  []string
	}{
		{"tool removed", first, other, nil, []string{`"status":"failed"`, "the tool no longer exists"}},
		{"tool no longer durable", first, plain, nil, []string{`"status":"failed"`, "the tool is no longer durable"}},
		{"question changed", question, changed, nil, []string{`"isError":true`, "the question is not the one that was answered; call the tool again"}},
		{"value type changed", first, number, nil, []string{`"isError":true`, "the tool failed with an internal error"}},
		{"newer journal", first, first, spoil(func(r *task.Record) { r.Durable.Journal = json.RawMessage(`{"z":1}`) }), []string{`"status":"failed"`, "was written by another version"}},
		{"invalid journal", first, first, spoil(func(r *task.Record) { r.Durable.Journal = json.RawMessage(`{`) }), []string{`"status":"failed"`, "cannot be read"}},
		{"invalid client", first, first, spoil(func(r *task.Record) { r.Durable.Client = json.RawMessage(`[`) }), []string{`"status":"failed"`, "cannot be read"}},
		{"invalid arguments", first, first, spoil(func(r *task.Record) { r.Durable.Arguments = json.RawMessage(`{"n"`) }), []string{`"isError":true`, "arguments"}},
		{"new required argument", first, stricter, nil, []string{`"isError":true`, "invalid arguments", "colour"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				q := taskqueue.NewMemory(task.MemoryLimits{}, 0)
				all := runners(t, 2, q, func(i int) *mcptool.Tool { return []*mcptool.Tool{test.first, test.next}[i] })
				id := all[0].begin("x")
				all[0].link.cut()
				if test.spoil != nil {
					test.spoil(t, q, id)
				}
				time.Sleep(6 * time.Minute) // a changed tool is retried for a while
				all[1].wantEnd(id, test.want...)
			})
		})
	}
}

// TestDurableRollingDeploy: an instance whose tool does not fit a task leaves it to other instances, which may have the old tool.
func TestDurableRollingDeploy(t *testing.T) {
	t.Parallel()
	stricter, err := mcptool.NewRaw("x", json.RawMessage(`{"type":"object","required":["colour"]}`), echo, durably()...)
	if err != nil {
		t.Fatal(err)
	}
	for name, next := range map[string]*mcptool.Tool{
		"renamed": tool(t, "y", echo, durably()...), "not durable": tool(t, "x", echo, mcptool.Task(mcptool.TaskSupportRequired)), "stricter": stricter,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				q := taskqueue.NewMemory(task.MemoryLimits{}, 0)
				hangs := tool(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) { return untilEnd(ctx) }, durably()...)
				all := runners(t, 2, q, func(i int) *mcptool.Tool { return []*mcptool.Tool{hangs, next}[i] })
				id := all[0].begin("x")
				all[0].link.cut()
				time.Sleep(2 * longLease)
				all[1].wantEnd(id, `"status":"working"`)
				time.Sleep(time.Minute) // enough for too many attempts
				runners(t, 1, q, func(int) *mcptool.Tool { return tool(t, "x", echo, durably()...) })
				time.Sleep(4 * time.Minute) // either instance may claim it
				all[1].wantEnd(id, `"status":"completed"`, `"n":7`)
			})
		})
	}
}

// TestDurableLegacy: a task of a legacy session is also resumed, with its client's info, but without asking the client.
func TestDurableLegacy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type name struct {
			Name string `json:"name"`
		}
		q := taskqueue.NewMemory(task.MemoryLimits{}, 0)
		all := runners(t, 2, q, func(i int) *mcptool.Tool {
			return tool(t, "ask", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
				if i == 0 {
					return untilEnd(ctx)
				}
				_, err := mcptool.Elicit[name](ctx, "Who?")
				return says(fmt.Sprint(mcptool.Caller(ctx).Client.Name, ": ", errors.Is(err, mcptool.ErrNoAnswer))), nil
			}, durably()...)
		})
		a, b := all[0], all[1]
		for _, in := range all {
			in.handshakeAble("2025-11-25")
		}
		a.send(legacy("1", "tools/call", `"name":"ask","task":{}`))
		id, _ := taskOf(t, a.next())
		a.link.cut()
		time.Sleep(2 * longLease)
		b.send(legacy("2", "tasks/result", `"taskId":"`+id+`"`))
		b.want(`"text":"tester: true"`)
	})
}

// TestDurablePlain: a task of a tool that is not durable is not leased. A durable tool without a queue has normal tasks.
func TestDurablePlain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		q := taskqueue.NewMemory(task.MemoryLimits{}, 0)
		all := runners(t, 2, q, func(int) *mcptool.Tool { return waiting(t, "wait", ended) })
		id := all[0].begin("wait")
		time.Sleep(5 * longLease)
		r, err := q.Get(t.Context(), id)
		if err != nil || r.Status != task.StatusWorking || r.Durable != nil {
			t.Errorf("got %+v, %v; want a working task without a lease", r, err)
		}
		srv := taskServer(t, tool(t, "work", func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil }, durably()...))
		log := logged(srv, slog.LevelWarn)
		w := open(t, srv)
		for range 2 {
			w.send(tasked("1", "tools/call", `,"name":"work"`))
			id, _ = taskOf(t, w.next())
			synctest.Wait()
			if status := w.status(id); status != "completed" {
				t.Errorf("status %s, want completed", status)
			}
		}
		if n := strings.Count(log.String(), "not a task.Queue"); n != 1 {
			t.Errorf("the warning was logged %d times, want 1: %s", n, log)
		}
	})
}
