package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/taskqueue"
)

// TestClaims: the claims of the caller reach tools and conditions, but neither the logs nor the JSON of CallInfo
// (AUTH-17).
func TestClaims(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, want string
		access     *runtime.Access
	}{
		{"claims", `{"tenant":"acme"}`, &runtime.Access{Principal: "ada", Claims: json.RawMessage(`{"tenant":"acme"}`)}},
		{"no claims", "", &runtime.Access{Principal: "ada"}},
		{"trusted", "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv := &runtime.Server{Name: "s", Version: "1", Tools: &mcptool.Registry{}}
			log := logged(srv, slog.LevelDebug)
			srv.Observer = audit.New(srv.Logger)
			var got, condition string
			tool, err := mcptool.New(func(ctx context.Context, in struct{ Fail bool }) (mcptool.CallInfo, error) {
				info := mcptool.Caller(ctx)
				got = string(info.Claims)
				mcptool.Logger(ctx).InfoContext(ctx, "called", "by", info.Principal)
				if in.Fail {
					panic("a bug")
				}
				return info, nil
			}, mcptool.Name("whoami"), mcptool.VisibleIf(func(_ context.Context, info mcptool.CallInfo) bool { condition = string(info.Claims); return true }))
			if err == nil {
				err = srv.Tools.Add(tool)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, fail := range []string{"false", "true"} {
				got, condition = "not called", "not called"
				answer := string(ask(t, srv, test.access, &collector{}, "tools/call", `"name":"whoami","arguments":{"Fail":`+fail+`},`))
				if got != test.want || condition != test.want {
					t.Errorf("claims in the tool = %q, in the condition = %q, want %q", got, condition, test.want)
				}
				if strings.Contains(answer, "acme") {
					t.Errorf("the client got claims: %s", answer)
				}
			}
			if text := log.String(); strings.Contains(text, "acme") || !strings.Contains(text, "a bug") || !strings.Contains(text, "bytes_out") {
				t.Errorf("the log has claims, or lacks records: %s", text)
			}
		})
	}
}

// TestTaskClaims: a task has the tenant and the claims of the call that started it. Claims are not stored, so a run at
// another instance has none.
func TestTaskClaims(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		queue := &recordingQueue{Queue: taskqueue.NewMemory(task.MemoryLimits{}, 0)}
		got := make(chan string, 9)
		all := runners(t, 2, queue, func(i int) *mcptool.Tool {
			return tool(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
				info := mcptool.Caller(ctx)
				got <- info.Tenant + "/" + info.Principal + " " + string(info.Claims)
				if i == 0 {
					return untilEnd(ctx)
				}
				return nil, errors.New("done")
			}, durably()...)
		})
		session := all[0].srv.Open(t.Context(), enginetest.Discard{})
		m := all[0].srv.Read([]byte(tasked("1", "tools/call", `,"name":"x","arguments":{}`)))
		m.Access, m.Stateless = &engine.Access{Tenant: "globex", Principal: "ada", Claims: json.RawMessage(`{"tenant":"acme"}`)}, true
		session.Serve(m, &collector{end: make(chan []byte, 1)})
		if first := <-got; first != `globex/ada {"tenant":"acme"}` {
			t.Errorf("caller of the first run = %q", first)
		}
		all[0].link.cut()
		time.Sleep(6 * time.Minute)
		if second := <-got; second != "globex/ada " {
			t.Errorf("caller of the second run = %q", second)
		}
		if stored := queue.text.String(); strings.Contains(stored, "acme") || !strings.Contains(stored, "ada") {
			t.Errorf("the stored record has claims, or lacks the principal: %s", stored)
		}
		if err := session.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// recordingQueue keeps the JSON of created records.
type recordingQueue struct {
	task.Queue
	text strings.Builder
}

func (q *recordingQueue) Create(ctx context.Context, r task.Record) error {
	text, err := json.Marshal(r)
	q.text.Write(text)
	return errors.Join(err, q.Queue.Create(ctx, r))
}
