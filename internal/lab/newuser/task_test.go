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

// taskState is the state of a task as in docs/tasks.md.
type taskState struct {
	TaskID        string
	Status        string
	InputRequests map[string]struct {
		Params struct {
			Message         string
			RequestedSchema struct{ Properties map[string]any }
		}
	}
	Result struct{ Content []struct{ Text string } }
}

// request sends a request of a client that supports tasks for the named tool or task. The error has the status, and the
// message of a JSON-RPC error.
func (p *process) request(t *testing.T, token, method, name, params string) (state taskState, err error) {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}`, method, params)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url(), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for header, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + token,
		"MCP-Protocol-Version": modern, "Mcp-Method": method, "Mcp-Name": name,
	} {
		request.Header.Set(header, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return state, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return state, err
	}
	var message struct {
		Result *taskState
		Error  struct{ Message string }
	}
	if err := json.Unmarshal(data, &message); err != nil || message.Result == nil {
		return state, fmt.Errorf("%s: %s", response.Status, data)
	}
	return *message.Result, nil
}

// begin starts a task and returns its id.
func (p *process) begin(t *testing.T, token, tool, arguments string) (id string) {
	t.Helper()
	state, err := p.request(t, token, "tools/call", tool, fmt.Sprintf(`"name":%q,"arguments":%s`, tool, arguments))
	if err != nil || state.TaskID == "" {
		t.Fatalf("%s is not a task: %+v %v", tool, state, err)
	}
	return state.TaskID
}

// get gets the state of a task.
func (p *process) get(t *testing.T, token, id string) (taskState, error) {
	t.Helper()
	return p.request(t, token, "tasks/get", id, fmt.Sprintf(`"taskId":%q`, id))
}

// await polls a task until it has the status.
func (p *process) await(t *testing.T, token, id, status string) taskState {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) { // like a client without a subscription
		state, err := p.get(t, token, id)
		if err != nil {
			t.Fatal(err)
		}
		if state.Status == status {
			return state
		}
		if state.Status == "failed" || state.Status == "cancelled" || state.Status == "completed" || time.Now().After(end) {
			t.Fatalf("got %+v, want %s", state, status)
		}
	}
}

// answer answers all questions of a task with yes.
func (p *process) answer(t *testing.T, token, id string, state taskState) error {
	t.Helper()
	responses := map[string]any{}
	for key, question := range state.InputRequests {
		content := map[string]any{}
		for name := range question.Params.RequestedSchema.Properties {
			content[name] = true
		}
		responses[key] = map[string]any{"action": "accept", "content": content}
	}
	data, err := json.Marshal(responses)
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.request(t, token, "tasks/update", id, fmt.Sprintf(`"taskId":%q,"inputResponses":%s`, id, data))
	return err
}
