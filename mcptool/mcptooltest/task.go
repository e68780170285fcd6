package mcptooltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
)

// taskRevision is the revision of clients in memory, in which a client decides that a call runs as a task.
const taskRevision = "2025-11-25"

// Task is a call that runs as a task, see [mcptool.Task]; [StartTask] returns one. Its methods are safe for concurrent
// use.
type Task struct {
	tool *mcptool.Tool
	args []byte
	id   string
	peer *peer
	by   *runtime.Access
	http *httpTask // nil in memory

	mu     sync.Mutex
	ran    bool // the tool has returned
	result *mcptool.Result
	err    error
}

// TaskStatus is the state of a task as a client sees it.
type TaskStatus struct {
	// Status is "working", "completed", "failed" or "cancelled". Over HTTP it is "input_required" while the tool waits
	// for answers, which [Task.Wait] sends.
	Status string
	// Message is the message of the last [mcptool.Progress] while the task is working, and the reason if it has failed.
	// It may lag behind, as for clients: a server updates it at most once per [mcptool.PollInterval]. All reports of
	// the tool are in [Client.ProgressReports].
	Message string
}

// StartTask calls the tool by a client of revision 2025-11-25, as a task of a server in memory, and returns when the
// task has begun. It ends the test if no task begins, because the tool does not support tasks or is hidden from the
// caller. Requests of the tool to the client are answered at once from [Client.Answers]; Replay has no effect on tasks.
// A task that is still running when the test ends is cancelled.
//
// If the client has a URL, StartTask calls the tool of that server in revision 2026-07-28, in which the server decides
// whether a call becomes a task: [runtime.TaskLimits] has the Delay. If the call ends before, the Task is completed,
// with its result. Requests of the tool are answered while [Task.Wait] or [AwaitTask] waits, or by StartTask if the tool
// sends them before the call is a task. [Client.ProgressReports] has only the progress until then; Status has the last
// message.
func StartTask[In any](tb testing.TB, c *Client, tool *mcptool.Tool, in In) *Task {
	tb.Helper()
	t := &Task{tool: tool, args: argumentsOf(tb, tool, in), by: c.access()}
	if err := t.start(tb, c); err != nil {
		tb.Fatalf("%s(%s): %v", tool.Info().Name, t.args, err)
	}
	return t
}

// AwaitTask waits until the task has ended, and returns its result or ends the test as [Call] does.
func AwaitTask[Out any](tb testing.TB, t *Task) Out {
	tb.Helper()
	result, err := t.Wait(tb.Context())
	return outputOf[Out](tb, t.tool, t.args, result, err)
}

// start starts a server with the tool, and calls the tool as a task.
func (t *Task) start(tb testing.TB, c *Client) error {
	tb.Helper()
	if c.URL == "" {
		if err := c.admit(tb.Context(), t.tool); err != nil {
			return err
		}
	}
	if internals.Settings(t.tool).Task == private.TaskForbidden {
		return errors.New("the tool does not support tasks; see mcptool.Task")
	}
	if c.URL != "" {
		var err error
		t.http, err = startHTTP(tb, httpCaller{c}, t.tool, t.args)
		return err
	}
	registry := &mcptool.Registry{}
	if err := registry.Add(t.tool); err != nil {
		return err
	}
	c.run = replay.NewRun(replay.Log{}, nil)
	c.beginRun()
	srv := &runtime.Server{Name: "mcptooltest", Version: "1", Tools: registry, Tasks: tasks.New(nil), CallContext: c.CallContext, Middleware: []mcptool.Middleware{t.observe(c)}}
	p, err := dial(tb.Context(), srv, &defects{}, taskRevision, string(c.declared()))
	if err != nil {
		return err
	}
	t.peer = p
	tb.Cleanup(func() {
		p.close(context.Background())
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		_ = srv.Shutdown(ended) // reports tasks that were still running, which is allowed
	})
	a, err := t.request(tb.Context(), "tools/call", `"name":"`+t.tool.Info().Name+`","arguments":`+string(t.args)+`,"task":{}`)
	if err != nil {
		return err
	}
	var created struct{ Task struct{ TaskID string } }
	if err := json.Unmarshal(a.raw, &created); err != nil || created.Task.TaskID == "" {
		return fmt.Errorf("the call did not become a task: %s", a.raw)
	}
	t.id = created.Task.TaskID
	return nil
}

// observe returns middleware that records the results of the tool, and passes its progress, log records and requests to
// the client.
func (t *Task) observe(c *Client) mcptool.Middleware {
	return func(next mcptool.Handler) mcptool.Handler {
		return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
			server, _ := callctx.Of(ctx).Host.(serverHost)
			result, err := next(internals.WithHost(ctx, &taskHost{host: host{c}, server: server}), args)
			t.mu.Lock()
			defer t.mu.Unlock()
			t.ran, t.result, t.err = true, result, err
			return result, err
		}
	}
}

// request sends a request of the client. A JSON-RPC error is returned as an error.
func (t *Task) request(ctx context.Context, method, params string) (answer, error) {
	a, err := t.peer.request(ctx, request{method: method, params: params, access: t.by})
	if err == nil && a.refusal != nil {
		err = a.refusal
	}
	return a, err
}

func (t *Task) params() string { return `"taskId":"` + t.id + `"` }

// Status returns the current state of the task as a client sees it. The zero value means that the server no longer has
// the task because its [mcptool.TaskTTL] has passed, or that ctx has ended.
func (t *Task) Status(ctx context.Context) TaskStatus {
	if t.http != nil {
		s, err := t.http.get(ctx)
		if err != nil {
			return TaskStatus{}
		}
		return TaskStatus{Status: s.Status, Message: s.StatusMessage}
	}
	a, err := t.request(ctx, "tasks/get", t.params())
	if err != nil {
		return TaskStatus{}
	}
	var s struct{ Status, StatusMessage string }
	_ = json.Unmarshal(a.raw, &s) // encoded by the server
	return TaskStatus{Status: s.Status, Message: s.StatusMessage}
}

// Wait waits until the task has ended, and returns the result and the error of the tool like [Client.Call]. If the task
// was cancelled, has expired or timed out, the server's error is returned. If ctx ends first, its error is returned.
//
// Over HTTP it polls the task, and answers the requests of the tool. The error can also be one of [Client.Answers].
func (t *Task) Wait(ctx context.Context) (*mcptool.Result, error) {
	if t.http != nil {
		return t.http.wait(ctx)
	}
	a, err := t.request(ctx, "tasks/result", t.params())
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	failed := t.err != nil || t.result != nil && t.result.IsError
	if !t.ran || a.result.IsError && !failed {
		return nil, errors.New(a.result.text())
	}
	return t.result, t.err
}

// Cancel cancels the task, as a client does. It has no effect on a task that has ended.
func (t *Task) Cancel(ctx context.Context) {
	if t.http != nil {
		t.http.cancel(ctx)
		return
	}
	_, _ = t.request(ctx, "tasks/cancel", t.params()) // an error means that the task has ended
}

// taskHost is the host of a task: the client, which answers the requests, but progress and log records also go to the
// server.
type taskHost struct {
	host
	server serverHost
}

// serverHost has the methods of the server's host that a task calls.
type serverHost interface {
	CallInfo() mcptool.CallInfo
	Progress(done, total float64, message string)
	LogHandler() slog.Handler
}

func (h *taskHost) CallInfo() mcptool.CallInfo { return h.server.CallInfo() }

func (h *taskHost) Progress(done, total float64, message string) {
	h.host.Progress(done, total, message)
	h.server.Progress(done, total, message)
}

func (h *taskHost) LogHandler() slog.Handler {
	return &recorder{client: h.Client, next: h.server.LogHandler()}
}
