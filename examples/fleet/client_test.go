package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

const host = "mcp.example.com"

// state is the state of a task as reported to a client.
type state struct {
	TaskID        string
	Status        string
	InputRequests map[string]struct {
		Params struct{ Message string }
	}
	Result json.RawMessage // as in the result of an ordinary call
}

// request sends a request of a client that supports tasks for the named tool or task, and returns the result.
func request(t *testing.T, addr, method, name, params string) (s state) {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}`, method, params)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	for header, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name} {
		r.Header.Set(header, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var message struct {
		Result *state
		Error  json.RawMessage
	}
	if err := json.Unmarshal(answer, &message); err != nil || message.Result == nil {
		t.Fatalf("%s %s: %s: %v: %s", method, name, response.Status, err, answer)
	}
	return *message.Result
}

// order starts a task and returns its id.
func order(t *testing.T, addr, reference string) string {
	t.Helper()
	s := request(t, addr, "tools/call", "place_order", fmt.Sprintf(`"name":"place_order","arguments":{"reference":%q,"packets":3}`, reference))
	if s.TaskID == "" {
		t.Fatalf("the call is no task: %+v", s)
	}
	return s.TaskID
}

// await polls a task until it has the status.
func await(t *testing.T, addr, id, status string) state {
	t.Helper()
	for {
		s := request(t, addr, "tasks/get", id, fmt.Sprintf(`"taskId":%q`, id))
		switch s.Status {
		case status:
			return s
		case "failed", "cancelled", "completed":
			t.Fatalf("the task has ended: %+v", s)
		}
		time.Sleep(20 * time.Millisecond) // like a client without a subscription
	}
}

// answer answers the open question of a task.
func answer(t *testing.T, addr, id, key, address string) {
	t.Helper()
	request(t, addr, "tasks/update", id, fmt.Sprintf(`"taskId":%q,"inputResponses":{%q:{"action":"accept","content":{"address":%q}}}`, id, key, address))
}
