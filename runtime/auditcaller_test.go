package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/task"
)

// callerHandler sends the caller in the context of each record to got.
type callerHandler struct {
	slog.Handler
	got chan string
}

func (h callerHandler) Handle(ctx context.Context, r slog.Record) error {
	c := mcptool.Caller(ctx)
	h.got <- fmt.Sprintf("%s by %s/%s %s %s%s%s", c.RequestID, c.Tenant, c.Principal, c.Claims, c.Tool, c.Prompt, c.Resource)
	return h.Handler.Handle(ctx, r)
}

// TestAuditCaller: the context passed to the audit handler has the caller, for calls with different outcomes.
func TestAuditCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "fine", echo), tool(t, "forbidden", echo, mcptool.Scopes("admin")), tool(t, "long", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			time.Sleep(time.Minute)
			return &mcptool.Result{}, nil
		}, mcptool.Task(mcptool.TaskSupportRequired)))
		srv.Tasks = tasks.New(task.NewMemory(task.MemoryLimits{}))
		prompt, err := mcptool.NewPrompt(func(context.Context, struct{}) (string, error) { return "", nil }, mcptool.Name("prompt"))
		if err == nil {
			err = srv.Tools.Add(prompt)
		}
		if err == nil {
			err = srv.Tools.Add(document(t, "docs://guide"))
		}
		if err != nil {
			t.Fatal(err)
		}
		handler := callerHandler{slog.DiscardHandler, make(chan string, 1)}
		srv.Observer = audit.New(slog.New(enabledHandler{handler}))
		w := open(t, srv)
		for want, text := range map[string]string{
			"fine":         modern("7", "tools/call", `,"name":"fine","arguments":{}`),
			"forbidden":    modern("7", "tools/call", `,"name":"forbidden","arguments":{}`),
			"long":         tasked("7", "tools/call", `,"name":"long","arguments":{}`),
			"prompt":       modern("7", "prompts/get", `,"name":"prompt"`),
			"docs://guide": modern("7", "resources/read", `,"uri":"docs://guide"`),
			"":             modern("7", "tools/call", `,"name":"unknown"`),
		} {
			m := srv.Read([]byte(text))
			m.Access = &engine.Access{Tenant: "acme", Principal: "ann", Claims: json.RawMessage(`{"team":1}`)}
			w.session.Serve(m, nil)
			w.next()
			if got, want := <-handler.got, `7 by acme/ann {"team":1} `+want; got != want {
				t.Errorf("caller = %q, want %q", got, want)
			}
		}
	})
}

// enabledHandler is a handler that is enabled for all levels.
type enabledHandler struct{ slog.Handler }

func (enabledHandler) Enabled(context.Context, slog.Level) bool { return true }
