package modelview_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/internal/modelview"
	"github.com/mcptool-go/mcptool/bench/internal/proxy"
)

// TestResults checks what models get of results; the results of Claude Code, Codex and Gemini CLI are as these sent them to a model.
func TestResults(t *testing.T) {
	t.Parallel()
	const (
		both    = `{"content":[{"type":"text","text":"prose"},{"type":"image","data":"AA==","mimeType":"image/png"}],"structuredContent":{"sum":3},"_meta":{"x":1}}`
		failure = `{"isError":true,"content":[{"type":"text","text":"it failed"}],"structuredContent":{"code":7}}`
		link    = `{"content":[{"type":"resource_link","uri":"note://7","name":"seven","title":"Seven"},{"type":"audio","data":"AA==","mimeType":"audio/wav"}]}`
		people  = `{"content":[{"type":"text","text":"u","annotations":{"audience":["user"]}},{"type":"text","text":"a","annotations":{"audience":["assistant"]}}]}`
		image   = `{"type":"image","data":"AA==","mimeType":"image/png"}`
		sum     = `{"type":"text","text":"{\"sum\":3}"}`
	)
	for _, tt := range []struct{ client, result, want, lacks string }{
		{"claude-code", both, `{"content":[` + image + `,` + sum + `]}`, "without the text block, which is not the structured content"},
		{"claude-code", failure, `{"isError":true,"content":[{"type":"text","text":"it failed"}]}`, ""},
		{"claude-code", people, people, ""},
		{"codex", both, `{"content":[` + sum + `]}`, "without the image block, which is not the structured content"},
		{"codex", failure, `{"isError":true,"content":[{"type":"text","text":"{\"code\":7}"}]}`, "without the text block, which is not the structured content"},
		{"codex", link, `{"content":[{"type":"resource_link","uri":"note://7","name":"seven","title":"Seven"}]}`, "without blocks: audio"},
		{"codex", `{"content":[` + sum + `],"structuredContent":{"sum":3}}`, `{"content":[` + sum + `]}`, ""},
		{"gemini-cli", both, `{"content":[{"type":"text","text":"prose"},` + image + `]}`, "without the structured content, which is not in a text block"},
		{"gemini-cli", link, `{"content":[{"type":"resource_link","uri":"note://7","name":"seven","title":"Seven"}]}`, "without blocks: audio"},
		{"vscode", both, `{"content":[` + image + `,` + sum + `]}`, "without the text block, which is not the structured content"},
		{"vscode", people, `{"content":[{"type":"text","text":"a","annotations":{"audience":["assistant"]}}]}`, "without blocks: text"},
		{"chatgpt", both, `{"content":[{"type":"text","text":"prose"},` + image + `],"structuredContent":{"sum":3}}`, ""},
		{"cursor", both, both, ""},
		{"codex", `{"taskId":"7"}`, `{"taskId":"7"}`, ""},
	} {
		c, _ := modelview.Named(tt.client)
		if got := string(c.Result(json.RawMessage(tt.result))); got != tt.want {
			t.Errorf("%s: %s\nbecomes %s\nwant    %s", tt.client, tt.result, got, tt.want)
		}
		v := c.Show(modelview.Listing{Tools: []json.RawMessage{tool("t", empty)}, Results: map[string]json.RawMessage{"t": json.RawMessage(tt.result)}})
		lacks := ""
		for _, change := range v.Changes {
			if change.Path == "result" {
				lacks = change.Found
			}
		}
		if lacks != tt.lacks {
			t.Errorf("%s: %s lacks %q, want %q", tt.client, tt.result, lacks, tt.lacks)
		}
	}
}

// TestLargeResults checks how much models get of large results.
func TestLargeResults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		client      string
		size        int
		first, last int
	}{
		{"claude-code", 50_000, 50_000, 0},
		{"claude-code", 50_001, 2000, 0},
		{"claude-code", 100_001, 0, 0},
		{"codex", 40_000, 40_000, 0},
		{"codex", 40_001, 20_000, 20_000},
		{"gemini-cli", 39_000, 39_000, 0},
		{"gemini-cli", 300_000, 8000, 32_000},
		{"cursor", 300_000, 300_000, 0},
	} {
		c, _ := modelview.Named(tt.client)
		var result struct{ Content []struct{ Text string } }
		if err := json.Unmarshal(c.Result(json.RawMessage(`{"content":[{"type":"text","text":"`+strings.Repeat("a", tt.size)+`"}]}`)), &result); err != nil {
			t.Fatal(err)
		}
		text := result.Content[0].Text
		if i := strings.Index(text, "\n… "); i >= 0 {
			before, after := text[:i], text[strings.LastIndex(text, " …\n")+len(" …\n"):]
			if strings.Count(before, "a") != tt.first || strings.Count(after, "a") != tt.last {
				t.Errorf("%s: %d characters of %d and %d, want %d and %d", tt.client, tt.size, strings.Count(before, "a"), strings.Count(after, "a"), tt.first, tt.last)
			}
		} else if strings.Count(text, "a") < tt.first || tt.last > 0 {
			t.Errorf("%s: %d characters are not cut", tt.client, tt.size)
		}
	}
}

// TestFilter checks lists, calls, results and instructions that pass.
func TestFilter(t *testing.T) {
	t.Parallel()
	c, _ := modelview.Named("gemini-cli")
	filter := c.Filter("")
	steps := []struct {
		d             proxy.Direction
		message, want string
	}{
		{proxy.ToClient, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"hub","version":"1"},"instructions":"I"}}`, ""},
		{proxy.ToServer, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, ""},
		{
			proxy.ToClient, `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"my tool","title":"T","description":"D","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"","inputSchema":{"type":"object"}}],"nextCursor":"c"}}`,
			`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"mcp_hub_my_tool","description":"D","inputSchema":{"type":"object","properties":{"wait_for_previous":{"type":"boolean","description":"Whether to wait for the calls before this one, if they are made at the same time."}}},"annotations":{"readOnlyHint":true}}]}}`,
		},
		{
			proxy.ToServer, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"mcp_hub_my_tool","arguments":{"a":1.0,"wait_for_previous":true}}}`,
			`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"my tool","arguments":{"a":1.0,"wait_for_previous":true}}}`,
		},
		{proxy.ToServer, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"another"}}`, ""},
		{
			proxy.ToClient, `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"x"}],"structuredContent":{}}}`,
			`{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"x"}]}}`,
		},
		{proxy.ToClient, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}`, ""},
		{proxy.ToServer, `{"jsonrpc":"2.0","id":4,"result":{"action":"accept","content":{"a":1}}}`, ""},
		{proxy.ToClient, `{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"m"}}`, ""},
	}
	for _, s := range steps {
		want := s.want
		if want == "" {
			want = s.message
		}
		if got := string(filter(s.d, json.RawMessage(s.message))); got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", s.message, got, want)
		}
	}
}

// TestFilterInstructions checks that instructions are cut.
func TestFilterInstructions(t *testing.T) {
	t.Parallel()
	c, _ := modelview.Named("claude-code")
	got := string(c.Filter("x")(proxy.ToClient, json.RawMessage(`{"id":1,"result":{"capabilities":{},"instructions":"`+strings.Repeat("I", 5000)+`"}}`)))
	if strings.Count(got, "I") != 4096 || !strings.Contains(got, "[truncated]") {
		t.Errorf("%d characters of the instructions are left", strings.Count(got, "I"))
	}
}
