package streamhttp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// withTasks returns a request of a client that supports tasks.
func withTasks(id, method, params string) string {
	return strings.Replace(modern(id, method, params), `clientCapabilities":{`, `clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}`, 1)
}

// TestTasks: a task can be used by later requests whose Mcp-Name header names it.
func TestTasks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, fixtureServer(t, map[string]string{"tasks": "yes"}))
		ctx, gone := context.WithCancel(t.Context())
		created := server.do(ctx, http.MethodPost, withTasks("1", "tools/call", `,"name":"must","arguments":{"report":"half","ms":2000}`), heading("tools/call", "must"))
		var m struct{ Result struct{ TaskID string } }
		if err := json.Unmarshal([]byte(bodyOf(t, created)), &m); err != nil || m.Result.TaskID == "" {
			t.Fatalf("no task: %v", err)
		}
		gone() // does not end the task
		id := m.Result.TaskID
		get := withTasks("2", "tasks/get", `,"taskId":"`+id+`"`)
		for _, test := range []struct {
			name, body string
			header     map[string]string
			status     int
			want       string
		}{
			{"T-TASKX-18 the task in the header", get, heading("tasks/get", id), 200, `"status":"working"`},
			{"T-TASKX-18 another task in the header", get, heading("tasks/get", "other"), 400, `"code":-32020`},
			{"T-TASKX-18 no header", get, heading("tasks/get", ""), 400, `"code":-32020`},
			{"T-TASKX-14 no extension", modern("2", "tasks/get", `,"taskId":"`+id+`"`), heading("tasks/get", id), 400, `"code":-32021`},
			{"T-TASKX-15 unknown method", withTasks("2", "tasks/result", `,"taskId":"`+id+`"`), heading("tasks/result", id), 404, `"code":-32601`},
			{"T-TASKX-04 a tool that requires a task", modern("2", "tools/call", `,"name":"must"`), heading("tools/call", "must"), 400, `"code":-32021`},
		} {
			response := server.do(t.Context(), http.MethodPost, test.body, test.header)
			if body := bodyOf(t, response); response.status != test.status || !strings.Contains(body, test.want) {
				t.Errorf("%s: %d %s", test.name, response.status, body)
			}
		}
		time.Sleep(3 * time.Second)
		if body := bodyOf(t, server.do(t.Context(), http.MethodPost, get, heading("tasks/get", id))); !strings.Contains(body, `"status":"completed"`) {
			t.Errorf("after its completion: %s", body)
		}
	})
}

// TestTaskThatAsksAtOnce: an elicitation of a task is sent only after the response that contains the task id was read,
// even if they use different connections.
func TestTaskThatAsksAtOnce(t *testing.T) {
	t.Parallel()
	t.Run("T-TASKL-11", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, taskThatAsksAtOnce)
	})
}

func taskThatAsksAtOnce(t *testing.T) {
	t.Helper()
	srv := fixtureServer(t, nil)
	ask, err := mcptool.New(func(ctx context.Context, _ struct{}) (mcptool.Text, error) {
		return mcptool.Text{}, mcptool.Confirm(ctx, "Sure?")
	}, mcptool.Name("impatient"), mcptool.Task(mcptool.TaskSupportRequired))
	if err == nil {
		err = srv.Tools.Add(ask)
	}
	if err != nil {
		t.Fatal(err)
	}
	server := serve(t, srv)
	begun := server.do(t.Context(), http.MethodPost, strings.Replace(hello("2025-11-25"), `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1), nil)
	client := legacyClient{server, begun.header.Get("Mcp-Session-Id")}
	bodyOf(t, client.send(t.Context(), `{"jsonrpc":"2.0","method":"notifications/initialized"}`))

	stream := eventsOf(client.listen(t.Context(), ""))
	stream.want(t, "") // the priming event
	began := time.Now()
	conn := server.raw(rawPost(request("1", "tools/call", `"name":"impatient","task":{}`),
		map[string]string{"Accept": "application/json, text/event-stream", "Mcp-Session-Id": client.id}))
	go func() {
		time.Sleep(10 * time.Second)
		_, _ = http.ReadResponse(bufio.NewReader(conn), nil) //nolint:bodyclose // the connection is closed with the test
	}()
	stream.want(t, `"status":"input_required"`)
	if waited := time.Since(began); waited != 10*time.Second {
		t.Errorf("the status notification arrived after %v, want 10s", waited)
	}
	question := stream.want(t, `"method":"elicitation/create"`)
	var m struct{ ID json.RawMessage }
	if err := json.Unmarshal([]byte(question.data), &m); err != nil {
		t.Fatal(err)
	}
	client.send(t.Context(), `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":{"action":"accept","content":{"confirm":true}}}`)
	stream.want(t, `"status":"working"`)
	stream.want(t, `"status":"completed"`)
}

// TestTasksLegacy: of the task methods, only tasks/result is answered on a stream.
func TestTasksLegacy(t *testing.T) {
	t.Parallel()
	t.Run("T-TASKL-19", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, legacyTasks)
	})
}

func legacyTasks(t *testing.T) {
	t.Helper()
	client := serve(t, fixtureServer(t, map[string]string{"tasks": "yes"})).begin("2025-11-25")
	created := bodyOf(t, client.send(t.Context(), request("1", "tools/call", `"name":"must","task":{},"arguments":{"ms":2000}`)))
	var m struct {
		Result struct{ Task struct{ TaskID string } }
	}
	if err := json.Unmarshal([]byte(created), &m); err != nil || m.Result.Task.TaskID == "" {
		t.Fatalf("no task: %s, %v", created, err)
	}
	id := `"taskId":"` + m.Result.Task.TaskID + `"`
	response := client.send(t.Context(), request("2", "tasks/get", id))
	if body := bodyOf(t, response); response.header.Get("Content-Type") != "application/json" || !strings.Contains(body, `"status":"working"`) {
		t.Errorf("tasks/get is answered with %s: %s", response.header.Get("Content-Type"), body)
	}
	if body := bodyOf(t, client.send(t.Context(), request("3", "tasks/result", id))); !strings.Contains(body, "done by must") {
		t.Errorf("tasks/result is answered with %s", body)
	}
}
