package client_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/mcptool-go/mcptool/bench/client"
)

// taskOnly is a server of the legacy era that behaves like the TypeScript reference server: a tool that
// runs as a task only fails with an isError result, not with a JSON-RPC error, if it is called without a task.
func taskOnly() {
	for in := bufio.NewReader(os.Stdin); ; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Task json.RawMessage }
		}
		if err := json.Unmarshal(line, &m); err != nil || m.ID == nil {
			continue
		}
		const task = `"taskId":"t1","status":"%s","ttl":60000,"createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","pollInterval":10`
		var result string
		switch {
		case m.Method == "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"tasks","version":"1"}}`
		case m.Method == "tools/list":
			result = `{"tools":[{"name":"research","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"execution":{"taskSupport":"required"}}]}`
		case m.Method == "tools/call" && m.Params.Task == nil:
			result = `{"content":[{"type":"text","text":"MCP error -32601: Tool research requires task augmentation (taskSupport: 'required')"}],"isError":true}`
		case m.Method == "tools/call":
			result = fmt.Sprintf(`{"task":{`+task+`}}`, "working")
		case m.Method == "tasks/get":
			result = fmt.Sprintf(`{`+task+`}`, "completed")
		case m.Method == "tasks/result":
			result = `{"content":[{"type":"text","text":"researched"}]}`
		default:
			refuse(m.ID, m.Method)
			continue
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
	}
}

// A tool that the list shows as task-only is called as a task from the first request on, whether or not
// the caller has listed the tools before.
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
