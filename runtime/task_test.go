package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/task"
)

// tasked returns a modern request of a client that supports tasks and elicitation.
func tasked(id, method, params string) string {
	return strings.Replace(modern(id, method, params), `"io.modelcontextprotocol/clientCapabilities":{}`,
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`, 1)
}

// taskOf returns the id and the status of the task in a result.
func taskOf(t *testing.T, msg string) (id, status string) {
	t.Helper()
	var m struct {
		Result struct {
			TaskID, Status string
			Task           struct{ TaskID, Status string }
		}
	}
	if err := json.Unmarshal([]byte(msg), &m); err != nil || m.Result.TaskID+m.Result.Task.TaskID == "" {
		t.Fatalf("no task: %s, %v", msg, err)
	}
	return m.Result.TaskID + m.Result.Task.TaskID, m.Result.Status + m.Result.Task.Status
}

// status returns the status of a task.
func (w *wire) status(id string) string {
	w.t.Helper()
	w.send(tasked(`"get"`, "tasks/get", `,"taskId":"`+id+`"`))
	_, status := taskOf(w.t, w.next())
	return status
}

// waiting returns a tool that waits for the end of its context, and sends the cause to ended.
func waiting(t *testing.T, name string, ended chan error, opts ...mcptool.ToolOption) *mcptool.Tool {
	t.Helper()
	return tool(t, name, func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return nil, ctx.Err()
	}, append(opts, mcptool.Task(mcptool.TaskSupportRequired))...)
}

// taskServer is like serve, and shuts the server down at the end of the test.
func taskServer(t *testing.T, tools ...*mcptool.Tool) *runtime.Server {
	t.Helper()
	srv := serve(t, tools...)
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = srv.Shutdown(ctx)
	})
	return srv
}

// stored is tasks with their store, so that a test can change records.
type stored struct {
	*tasks.Tasks
	task.Store
}

func storedIn(s task.Store) stored { return stored{tasks.New(s), s} }

// TestTaskOutlives: the context of a task outlives its request and connection, and has the
// caller.
func TestTaskOutlives(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var caller mcptool.CallInfo
		srv := taskServer(t, tool(t, "long", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			time.Sleep(time.Minute)
			caller = mcptool.Caller(ctx)
			return &mcptool.Result{}, ctx.Err()
		}, mcptool.Task(mcptool.TaskSupportOptional)))
		first := srv.Open(t.Context(), &wire{t: t, out: make(chan string, 9)})
		w := &wire{t: t, out: make(chan string, 9)}
		first.Serve(access(srv, tasked("1", "tools/call", `,"name":"long"`), "ann"), writerOf(w))
		id, _ := taskOf(t, w.next())
		if err := first.Close(t.Context()); err != nil {
			t.Errorf("Close = %v", err)
		}
		time.Sleep(time.Hour - 2*time.Second)
		second := srv.Open(t.Context(), w)
		second.Serve(access(srv, tasked("2", "tasks/get", `,"taskId":"`+id+`"`), "ann"), writerOf(w))
		w.want(`"status":"completed"`, `"result":{"content":[]`)
		if caller.Tool != "long" || caller.Principal != "ann" || caller.ProtocolVersion != "2026-07-28" {
			t.Errorf("Caller = %+v", caller)
		}
		time.Sleep(3 * time.Second)
		second.Serve(access(srv, tasked("2", "tasks/get", `,"taskId":"`+id+`"`), "ann"), writerOf(w))
		w.want(`"code":-32602`)
		_ = second.Close(t.Context())
	})
}

// access returns a message of a principal.
func access(srv *runtime.Server, text, principal string) *runtime.Message {
	m := srv.Read([]byte(text))
	m.Access = (*engine.Access)(&runtime.Access{Principal: principal})
	return m
}

// TestTaskEnds: the context of a task ends when the task expires, is cancelled, or its server
// stops, with that cause.
func TestTaskEnds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		end    func(t *testing.T, w *wire, srv *runtime.Server, id string)
		cause  error
		status string // "": the task no longer exists
	}{
		{"T-TASKX-19 expired", func(*testing.T, *wire, *runtime.Server, string) { time.Sleep(time.Minute) }, runtime.ErrExpired, ""},
		{"T-TASKX-12 T-TASKL-15 cancelled", func(_ *testing.T, w *wire, _ *runtime.Server, id string) {
			w.send(tasked("2", "tasks/cancel", `,"taskId":"`+id+`"`))
			w.want(`"result":{"resultType":"complete"`)
		}, runtime.ErrCancelled, "cancelled"},
		{"cancelled elsewhere", func(t *testing.T, _ *wire, srv *runtime.Server, id string) {
			t.Helper()
			if _, err := task.Change(t.Context(), srv.Tasks.(stored), id, func(r *task.Record) error { r.Status = task.StatusCancelled; return nil }); err != nil {
				t.Error(err)
			}
		}, runtime.ErrCancelled, "cancelled"},
		{"shutdown", func(t *testing.T, _ *wire, srv *runtime.Server, _ string) {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := srv.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Shutdown = %v, want context.DeadlineExceeded", err)
			}
		}, runtime.ErrShutdown, "failed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ended := make(chan error, 1)
				srv := serve(t, waiting(t, "wait", ended, mcptool.TaskTTL(time.Minute)))
				srv.Tasks = storedIn(task.NewMemory(task.MemoryLimits{}))
				w := open(t, srv)
				w.send(tasked("1", "tools/call", `,"name":"wait"`))
				id, _ := taskOf(t, w.next())
				synctest.Wait() // the tool runs
				// Cancelling the answered request has no effect.
				w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
				if got := w.status(id); got != "working" {
					t.Errorf("status %s, want working", got)
				}
				test.end(t, w, srv, id)
				synctest.Wait()
				if cause := <-ended; !errors.Is(cause, test.cause) {
					t.Errorf("Cause = %v, want %v", cause, test.cause)
				}
				w.send(tasked("3", "tasks/get", `,"taskId":"`+id+`"`))
				if answer := w.next(); test.status == "" {
					if !strings.Contains(answer, `"code":-32602`) {
						t.Errorf("the task still exists: %s", answer)
					}
				} else if _, status := taskOf(t, answer); status != test.status {
					t.Errorf("status %s, want %s", status, test.status)
				}
			})
		})
	}
}

// TestTaskShutdown: Shutdown lets tasks finish and rejects new ones. A task that ignores its context
// is stored as failed.
func TestTaskShutdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		srv := serve(t,
			tool(t, "minute", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
				time.Sleep(time.Minute)
				return &mcptool.Result{}, nil
			}, mcptool.Task(mcptool.TaskSupportRequired)),
			tool(t, "deaf", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
				<-release
				return &mcptool.Result{}, nil
			}, mcptool.Task(mcptool.TaskSupportRequired)))
		w := open(t, srv)
		w.send(tasked("1", "tools/call", `,"name":"minute"`), tasked("2", "tools/call", `,"name":"deaf"`))
		ids := map[string]string{}
		for range 2 {
			id, _ := taskOf(t, w.next())
			ids[id] = ""
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour-time.Minute)
		defer cancel()
		stopped := make(chan error, 2)
		go func() { stopped <- srv.Shutdown(ctx) }()
		time.Sleep(2 * time.Minute)
		w.send(tasked("3", "tools/call", `,"name":"minute"`))
		w.want(`"error":{"code":-32603,"message":"the server is shutting down"}`)
		if err := <-stopped; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Shutdown = %v, want context.DeadlineExceeded", err)
		}
		seen := ""
		for id := range ids {
			seen += w.status(id) + " "
		}
		if !strings.Contains(seen, "completed") || !strings.Contains(seen, "failed") {
			t.Errorf("statuses = %s, want completed and failed", seen)
		}
		close(release)
		synctest.Wait()
		if err := srv.Shutdown(t.Context()); err != nil {
			t.Errorf("Shutdown without running tasks = %v", err)
		}
	})
}

// taskLimits: the number of running tasks is limited per principal and in total.
func taskLimits(t *testing.T) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 9)
		var log strings.Builder
		srv := taskServer(t, waiting(t, "wait", ended), tool(t, "quick", echo, mcptool.Task(mcptool.TaskSupportRequired)))
		srv.Limits.Tasks = runtime.TaskLimits{MaxRunning: 3, MaxRunningPerCaller: 2}
		srv.Logger = slog.New(slog.NewTextHandler(&log, nil))
		w := open(t, srv)
		calls := 0
		call := func(principal, name string) string {
			calls++
			w.session.Serve(access(srv, tasked(fmt.Sprint(calls), "tools/call", `,"name":"`+name+`"`), principal), writerOf(w))
			return w.next()
		}
		for i, test := range []struct {
			principal string
			ok        bool
		}{{"ann", true}, {"ann", true}, {"ann", false}, {"bob", true}, {"bob", false}, {"eve", false}} {
			answer := call(test.principal, "wait")
			if test.ok != strings.Contains(answer, `"resultType":"task"`) || test.ok == strings.Contains(answer, "too many tasks are running") {
				t.Errorf("call %d, of %s: got %s, want a task: %t", i, test.principal, answer, test.ok)
			}
		}
		time.Sleep(2 * time.Hour) // all have expired
		for range 3 {
			<-ended
		}
		synctest.Wait()
		for range 5 { // the limit is not used up
			if answer := call("ann", "quick"); !strings.Contains(answer, `"resultType":"task"`) {
				t.Errorf("later call: got %s", answer)
			}
			synctest.Wait()
		}
		for _, text := range []string{"task begins", "task ends", "tool=quick", "principal=ann", "status=completed"} {
			if !strings.Contains(log.String(), text) {
				t.Errorf("log lacks %q", text)
			}
		}
	})
}

// taskIDs: the server chooses distinct task ids (T-TASKL-04) that cannot be guessed (T-TASKX-20).
func taskIDs(t *testing.T) {
	t.Helper()
	srv := taskServer(t, tool(t, "quick", echo, mcptool.Task(mcptool.TaskSupportRequired)))
	srv.Limits.Tasks.MaxRunningPerCaller = 1000
	w := open(t, srv)
	ids := map[string]bool{}
	for i := range 1000 {
		w.send(tasked(fmt.Sprint(i), "tools/call", `,"name":"quick"`))
	}
	for range 1000 {
		id, _ := taskOf(t, w.next())
		ids[id] = true
		if len(id) < 26 { // 5 bits each
			t.Fatalf("the id %q is too short", id)
		}
	}
	if len(ids) != 1000 {
		t.Errorf("got %d ids for 1000 tasks", len(ids))
	}
}

// TestTaskTimeout: a task ends at the timeout of its tool, even if the tool ignores it.
func TestTaskTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		deaf := func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			time.Sleep(time.Minute)
			return &mcptool.Result{}, nil
		}
		srv := serve(t, tool(t, "deaf", deaf, mcptool.Task(mcptool.TaskSupportRequired), mcptool.Timeout(30*time.Second)),
			tool(t, "unbounded", deaf, mcptool.Task(mcptool.TaskSupportOptional)))
		srv.Limits.Tasks.MaxRunning, srv.Limits.CallTimeout = 1, time.Second
		w := open(t, srv)
		w.send(tasked("1", "tools/call", `,"name":"deaf"`))
		id, _ := taskOf(t, w.next())
		time.Sleep(30*time.Second + time.Millisecond)
		w.send(tasked("2", "tasks/get", `,"taskId":"`+id+`"`))
		w.want(`"status":"completed"`, `"text":"the tool ran longer than its limit of 30s"`, `"isError":true`)
		w.send(tasked("3", "tools/call", `,"name":"deaf"`))
		w.want("too many tasks are running")
		time.Sleep(30 * time.Second)
		w.send(tasked("4", "tools/call", `,"name":"unbounded"`))
		id, _ = taskOf(t, w.next())
		time.Sleep(time.Minute)
		if got := w.status(id); got != "completed" {
			t.Errorf("status %s, want completed", got)
		}
	})
}
