package streamhttp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
)

// taskServer returns a server with a task-only tool, and each bytes of memory per caller.
func taskServer[In any](t *testing.T, each int, fn func(context.Context, In) (mcptool.Text, error)) *memory {
	t.Helper()
	tool, err := mcptool.New(fn, mcptool.Name("report"), mcptool.Task(mcptool.TaskSupportRequired))
	if err != nil {
		t.Fatal(err)
	}
	srv := &runtime.Server{Tools: &mcptool.Registry{}, Tasks: tasks.New(nil), Limits: runtime.Limits{PerCaller: runtime.CallerLimits{MaxMemoryBytes: each}}}
	if err := srv.Tools.Add(tool); err != nil {
		t.Fatal(err)
	}
	return serveHandlerAt(t, loopback, newHandler(t, srv))
}

// runTask calls the tool, waits until the task has ended, and returns its id.
func (m *memory) runTask(arguments string) string {
	m.t.Helper()
	response := m.do(m.t.Context(), http.MethodPost, withTasks("1", "tools/call", `,"name":"report","arguments":`+arguments), heading("tools/call", "report"))
	var created struct{ Result struct{ TaskID string } }
	if body := bodyOf(m.t, response); json.Unmarshal([]byte(body), &created) != nil || created.Result.TaskID == "" {
		m.t.Fatalf("status %d: %.300s", response.status, body)
	}
	time.Sleep(time.Second)
	return created.Result.TaskID
}

// TestTaskArgumentsAreReleased: the decoded arguments of a task count against its caller only until the task ends.
func TestTaskArgumentsAreReleased(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type in struct {
			List []string `json:"list"`
		}
		const share = 2 << 20
		server := taskServer(t, share, func(context.Context, in) (mcptool.Text, error) { return mcptool.Text{Text: "done"}, nil })
		for range 60 { // of 80 KB each
			server.runTask(`{"list":["a"` + strings.Repeat(`,"a"`, 5000) + `]}`)
		}
		response := server.do(t.Context(), http.MethodPost, modern("1", "tools/list", strings.Repeat(" ", share/2)), heading("tools/list", ""))
		if response.status != http.StatusOK {
			t.Errorf("after the tasks ended: status %d: %s", response.status, bodyOf(t, response))
		}
	})
}

// TestTaskOfTheWholeShare: a result larger than the caller's memory share can be read.
func TestTaskOfTheWholeShare(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := taskServer(t, 256<<10, func(context.Context, struct{}) (mcptool.Text, error) {
			return mcptool.Text{Text: strings.Repeat("x", 300<<10)}, nil
		})
		id := server.runTask(`{}`)
		response := server.do(t.Context(), http.MethodPost, withTasks("2", "tasks/get", `,"taskId":"`+id+`"`), heading("tasks/get", id))
		if body := bodyOf(t, response); response.status != http.StatusOK || !strings.Contains(body, `"status":"completed"`) {
			t.Errorf("status %d: %.300s", response.status, body)
		}
	})
}
