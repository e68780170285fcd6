package runtime_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/taskqueue"
)

// TestTasksOfUnselectedTool checks that a task of a tool is unknown to a request that does not select the tool, and on a
// server that does not, although both have its record.
func TestTasksOfUnselectedTool(t *testing.T) {
	t.Parallel()
	q := taskqueue.NewMemory(task.MemoryLimits{}, 0)
	server := func(s runtime.Selection) *runtime.Server {
		srv := taskServer(t, tool(t, "x", echo, mcptool.Task(mcptool.TaskSupportRequired)))
		srv.Tasks, srv.Select = tasks.New(q), s
		return srv
	}
	srv := server(runtime.Selection{})
	w := open(t, srv)
	w.send(tasked("1", "tools/call", `,"name":"x"`))
	id, _ := taskOf(t, w.next())
	answer := func(srv *runtime.Server, method string, client *runtime.Selection) string {
		x := &collector{end: make(chan []byte, 1)}
		session := srv.Open(t.Context(), x)
		m := srv.Read([]byte(tasked("2", method, `,"taskId":"`+id+`"`)))
		m.Stateless, m.Select = true, (*engine.Selection)(client)
		session.Serve(m, x)
		got := string(<-x.end)
		if err := session.Close(t.Context()); err != nil {
			t.Error(err)
		}
		return got
	}
	const known, unknown = `"result":`, `"error":{"code":-32602,"message":"unknown or expired task`
	hiding := runtime.Selection{Except: []string{"x"}}
	for _, test := range []struct {
		name   string
		srv    *runtime.Server
		client *runtime.Selection
		want   string
	}{
		{"nothing is selected", srv, nil, known},
		{"the request selects the tool", srv, &runtime.Selection{Tools: []string{"x"}}, known},
		{"the request does not select the tool", srv, &hiding, unknown},
		{"the server does not select the tool", server(hiding), nil, unknown},
		{"the server does not select what the request selects", server(hiding), &runtime.Selection{Tools: []string{"x"}}, unknown},
		{"another server selects the tool", server(runtime.Selection{Tools: []string{"x"}}), nil, known},
	} {
		for _, method := range []string{"tasks/get", "tasks/cancel"} {
			if got := answer(test.srv, method, test.client); !strings.Contains(got, test.want) {
				t.Errorf("%s: %s got %s, want %s", test.name, method, got, test.want)
			}
		}
	}
}

// TestDurableTaskOfUnselectedTool checks that a server does not run a durable task of a tool that it does not select, and
// leaves it to one that does. If there is none, the task fails as if the tool had been removed.
func TestDurableTaskOfUnselectedTool(t *testing.T) {
	t.Parallel()
	for name, selects := range map[string]bool{"no other server": false, "another server": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				q := taskqueue.NewMemory(task.MemoryLimits{}, 0)
				hangs := tool(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) { return untilEnd(ctx) }, durably()...)
				first := runners(t, 1, q, func(int) *mcptool.Tool { return hangs })[0]
				id := first.begin("x")
				first.link.cut()
				var ran atomic.Int32
				counts := tool(t, "x", func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
					ran.Add(1)
					return echo(ctx, args)
				}, durably()...)
				runners(t, 1, q, func(int) *mcptool.Tool { return counts }, func(srv *runtime.Server) {
					srv.Select = runtime.Selection{Except: []string{"x"}}
				})
				time.Sleep(2 * longLease)
				if selects {
					runners(t, 1, q, func(int) *mcptool.Tool { return tool(t, "x", echo, durably()...) })
				}
				time.Sleep(6 * time.Minute) // a task whose tool is missing is retried for a while
				r, err := q.Get(t.Context(), id)
				want, text := task.StatusFailed, "the tool no longer exists"
				if selects {
					want, text = task.StatusCompleted, ""
				}
				if err != nil || r.Status != want || !strings.Contains(r.Message, text) || ran.Load() != 0 {
					t.Errorf("the task is %s, %q, %v, and the tool that is not selected ran %d times; want %s, %q", r.Status, r.Message, err, ran.Load(), want, text)
				}
			})
		})
	}
}
