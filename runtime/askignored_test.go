package runtime_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// TestIgnoredAnswer: a func that returns a result although its question is open fails, the question is not sent, and the
// log has the reason. A result with IsError is discarded.
func TestIgnoredAnswer(t *testing.T) {
	t.Parallel()
	const asks, fails = `"inputRequests"`, `failed with an internal error (reference`
	result := func(isError bool) func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		return func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			_ = mcptool.Confirm(ctx, "Sure?")
			return &mcptool.Result{IsError: isError, Content: []mcptool.Content{mcptool.Text{Text: "deleted"}}}, nil
		}
	}
	task := mcptool.Task(mcptool.TaskSupportOptional)
	prompt, err := mcptool.NewPrompt(func(ctx context.Context, _ struct{}) (string, error) {
		_ = mcptool.Confirm(ctx, "Sure?")
		return "deleted", nil
	}, mcptool.Name("ignores"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		reason, method string
		tool           *mcptool.Tool
		want           string
	}{
		{"a tool", "tools/call", tool(t, "ignores", result(false)), fails},
		{"a tool that may become a task", "tools/call", tool(t, "ignores", result(false), task), fails},
		{"a result that is an error", "tools/call", tool(t, "ignores", result(true)), asks},
		{"an error of a tool that may become a task", "tools/call", tool(t, "ignores", result(true), task), asks},
		{"a prompt", "prompts/get", nil, fails},
	} {
		srv := serve(t)
		if err := srv.Tools.Add(prompt); err != nil {
			t.Fatal(err)
		}
		if test.tool != nil {
			if err := srv.Tools.Add(test.tool); err != nil {
				t.Fatal(err)
			}
		}
		log := logged(srv, slog.LevelError)
		w := open(t, srv)
		const able = `"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`
		w.send(strings.Replace(modern("1", test.method, `,"name":"ignores"`), `"io.modelcontextprotocol/clientCapabilities":{}`, able, 1))
		if got := w.next(); !strings.Contains(got, test.want) || strings.Contains(got, "deleted") || test.want == fails && strings.Contains(got, asks) {
			t.Errorf("%s: got %s, want %s", test.reason, got, test.want)
		}
		w.session.Close(t.Context())
		if has := strings.Contains(log.String(), "ignored the error of the question"); has != (test.want == fails) {
			t.Errorf("%s: ignored error logged = %t, want %t: %s", test.reason, has, test.want == fails, log)
		}
	}
}
