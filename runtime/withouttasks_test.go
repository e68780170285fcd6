package runtime_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/bus"
	"github.com/mcptool-go/mcptool/runtime/tasks"
)

// sleeping returns a tool whose calls take a second, unless their context ends before.
func sleeping(t *testing.T, name string, support mcptool.TaskSupport) *mcptool.Tool {
	t.Helper()
	return tool(t, name, func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		return &mcptool.Result{Structured: json.RawMessage(`{"slept":true}`)}, nil
	}, mcptool.Task(support))
}

// TestWithoutTasks checks a server without Tasks: calls of a tool that may run as a task run as plain calls, even if they
// take long and the client asks for a task, and nothing about tasks is offered.
func TestWithoutTasks(t *testing.T) {
	t.Parallel()
	newServer := func(t *testing.T) *runtime.Server {
		t.Helper()
		srv := serve(t, sleeping(t, "sleep", mcptool.TaskSupportOptional))
		srv.Tasks, srv.Bus = nil, bus.New(new(bus.Local))
		return srv
	}
	t.Run("2026-07-28", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			srv := newServer(t)
			w := open(t, srv)
			w.send(modern("1", "server/discover", ""))
			if got := w.next(); strings.Contains(got, "tasks") {
				t.Errorf("tasks are offered: %s", got)
			}
			w.send(tasked("2", "tools/call", `,"name":"sleep"`))
			w.want(`"id":2`, `"slept":true`, `"resultType":"complete"`)
			for _, method := range []string{"tasks/get", "tasks/cancel", "tasks/update"} {
				w.send(tasked("3", method, `,"taskId":"t"`))
				w.want(`"code":-32601`, method)
			}
			w.send(tasked("4", "subscriptions/listen", `,"notifications":{"taskIds":["t"],"toolsListChanged":true}`))
			if got := w.want("notifications/subscriptions/acknowledged", `"toolsListChanged":true`); strings.Contains(got, "taskIds") {
				t.Errorf("a subscription to tasks is acknowledged: %s", got)
			}
			end(t, srv, w)
		})
	})
	t.Run("2025-11-25", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			srv := newServer(t)
			w := open(t, srv)
			w.send(legacy("1", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}`))
			if got := w.next(); strings.Contains(got, "tasks") {
				t.Errorf("tasks are offered: %s", got)
			}
			w.send(legacy("2", "tools/call", `"name":"sleep","task":{"ttl":60000}`))
			w.want(`"id":2`, `"slept":true`)
			for _, method := range []string{"tasks/get", "tasks/cancel", "tasks/result", "tasks/list"} {
				w.send(legacy("3", method, `"taskId":"t"`))
				w.want(`"code":-32601`, method)
			}
			end(t, srv, w)
		})
	})
}

// end closes the session and shuts the server down, as the functions that serve do.
func end(t *testing.T, srv *runtime.Server, w *wire) {
	t.Helper()
	runtime.Internal(private.Key{}).DrainTasks(t.Context(), srv)
	w.session.Close(t.Context())
	if err := srv.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestWithoutTasksTimeout: Limits.CallTimeout applies to a tool that may run as a task only on a server without Tasks.
func TestWithoutTasksTimeout(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		tasks runtime.TaskProvider
		want  string
	}{
		{"without tasks", nil, "the tool ran longer than its limit of 100ms"},
		{"with tasks", tasks.New(nil), `"slept":true`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := serve(t, sleeping(t, "sleep", mcptool.TaskSupportOptional))
				srv.Tasks, srv.Limits.CallTimeout = test.tasks, 100*time.Millisecond
				w := open(t, srv)
				w.send(modern("1", "tools/call", `,"name":"sleep"`))
				w.want(test.want)
				end(t, srv, w)
			})
		})
	}
}

// TestWithoutTasksRequired: a tool that runs only as a task is a mistake on a server without Tasks. If it is added later, its
// calls are refused.
func TestWithoutTasksRequired(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	srv.Tasks = nil
	if err := srv.Check(); err != nil {
		t.Error(err)
	}
	w := open(t, srv)
	if err := srv.Tools.Add(sleeping(t, "must", mcptool.TaskSupportRequired)); err != nil {
		t.Fatal(err)
	}
	const want = `the tool "must" runs only as a task, and Server.Tasks is nil; set it to New of package runtime/tasks, or let the tool also run without a task, with task=optional`
	if err := srv.Check(); err == nil || err.Error() != want {
		t.Errorf("Check = %v, want %s", err, want)
	}
	w.send(tasked("1", "tools/call", `,"name":"must"`))
	w.want(`"code":-32601`, `the tool \"must\" runs only as a task, and this server has no tasks`)
	w.handshake("2025-11-25")
	w.send(legacy("2", "tools/call", `"name":"must","task":{}`), legacy("3", "tools/call", `"name":"must"`))
	w.want(`"id":2`, `"code":-32601`)
	w.want(`"id":3`, `"code":-32601`)

	srv = serve(t, sleeping(t, "must", mcptool.TaskSupportRequired))
	if err := srv.Check(); err != nil {
		t.Errorf("with Tasks: Check = %v", err)
	}
}
