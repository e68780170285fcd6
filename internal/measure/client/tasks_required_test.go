package client_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// taskOnly is a server of the legacy era that behaves like the TypeScript reference server: calling a task-only tool
// without a task gives an isError result instead of a JSON-RPC error.
func taskOnly() {
	const task = `"taskId":"t1","status":"%s","ttl":60000,"createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","pollInterval":10`
	results := map[string]string{
		"initialize":   `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"tasks","version":"1"}}`,
		"tools/list":   `{"tools":[{"name":"research","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"execution":{"taskSupport":"required"}}]}`,
		"tasks/get":    fmt.Sprintf(`{`+task+`}`, "completed"),
		"tasks/result": `{"content":[{"type":"text","text":"researched"}]}`,
	}
	requests(func(id json.RawMessage, method string, params json.RawMessage) {
		var p struct{ Task json.RawMessage }
		switch result := results[method]; {
		case result != "":
			succeed(id, result)
		case method != "tools/call":
			refuse(id, method)
		case json.Unmarshal(params, &p) != nil || p.Task == nil:
			succeed(id, `{"content":[{"type":"text","text":"MCP error -32601: Tool research requires task augmentation (taskSupport: 'required')"}],"isError":true}`)
		default:
			succeed(id, fmt.Sprintf(`{"task":{`+task+`}}`, "working"))
		}
	})
}

// A tool that is listed as task-only is called as a task from the first request on, whether or not the caller has
// listed the tools before.
func TestTaskRequiredByTheList(t *testing.T) {
	for _, list := range []bool{false, true} {
		t.Run(fmt.Sprintf("listed %v", list), func(t *testing.T) {
			t.Parallel()
			c := dial(t, child("task-only"), client.Options{})
			if list {
				if _, err := c.Tools(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 {
				r, err := c.Call(t.Context(), "research", nil)
				if err != nil {
					t.Fatal(err)
				}
				if r.IsError || len(r.Content) != 1 || r.Content[0].Text != "researched" {
					t.Errorf("the result is %s", r.Raw)
				}
			}
		})
	}
}
