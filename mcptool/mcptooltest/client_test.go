package mcptooltest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

type exportIn struct {
	_    struct{} `mcp:"name=export,task=optional,scopes=notes:read notes:write"`
	Rows int      `json:"rows"`
}

type exportOut struct {
	By   string `json:"by"`
	Rows int    `json:"rows"`
}

// export reports progress, logs, asks, and takes a second for each row.
func export(ctx context.Context, in exportIn) (exportOut, error) {
	log := mcptool.Logger(ctx).With("rows", in.Rows).WithGroup("export").With("n", 1)
	for i := range in.Rows {
		mcptool.Progress(ctx, float64(i), float64(in.Rows), fmt.Sprintf("row %d", i))
		mcptool.Progress(ctx, float64(i), 0, fmt.Sprintf("row %d", i)) // no progress yet
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return exportOut{}, ctx.Err()
		}
	}
	if err := mcptool.Confirm(ctx, "Send it?"); err != nil {
		return exportOut{}, err
	}
	log.Debug("sent", slog.Group("to", "name", "ann"))
	return exportOut{By: mcptool.Caller(ctx).Principal, Rows: in.Rows}, nil
}

func exportTool(t *testing.T) *mcptool.Tool {
	t.Helper()
	// The interval of progress reports of a task must differ from the second that a row takes, so that a report and the
	// end of an interval do not coincide.
	tool, err := mcptool.New(export, mcptool.PollInterval(400*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// recorded checks what a client recorded of a number of runs of export with two rows.
func recorded(t *testing.T, c *mcptooltest.Client, runs int) {
	t.Helper()
	var want []mcptooltest.ProgressReport
	for range runs {
		want = append(want, mcptooltest.ProgressReport{Done: 0, Total: 2, Message: "row 0"}, mcptooltest.ProgressReport{Done: 1, Total: 2, Message: "row 1"})
	}
	if diff := cmp.Diff(want, c.ProgressReports()); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	var log strings.Builder
	handler := slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})
	for _, r := range c.LogRecords() {
		r.Time = time.Time{}
		_ = handler.Handle(t.Context(), r)
	}
	if got, want := log.String(), "level=DEBUG msg=sent rows=2 export.n=1 export.to.name=ann\n"; got != want {
		t.Errorf("log: got %s, want %s", got, want)
	}
}

var both = []string{"notes:write", "notes:read"}

// TestClientCaller: a tool gets its caller, and is hidden from callers without its scopes.
func TestClientCaller(t *testing.T) {
	t.Parallel()
	tool := exportTool(t)
	registry := &mcptool.Registry{}
	if err := registry.Add(tool); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		reason    string
		principal string
		scopes    []string
		sees      bool
	}{
		{"trusted caller", "", nil, true},
		{"no scopes", "", []string{}, false},
		{"a principal without scopes", "ann", nil, false},
		{"one of two scopes", "ann", both[:1], false},
		{"both scopes", "ann", both, true},
	} {
		c := &mcptooltest.Client{Principal: test.principal, Scopes: test.scopes, Answers: []any{true}}
		if sees := len(c.Tools(t.Context(), registry)) == 1; sees != test.sees {
			t.Errorf("%s: tool visible: %v", test.reason, sees)
		}
		result, err := c.Call(t.Context(), tool, []byte(`{"rows":0}`))
		if !test.sees {
			if !errors.Is(err, mcptooltest.ErrHidden) || !strings.Contains(err.Error(), `requires the scopes ["notes:read" "notes:write"]`) {
				t.Errorf("%s: got %v, %v, want ErrHidden", test.reason, result, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.reason, err)
		} else if got, want := string(result.Structured.(json.RawMessage)), fmt.Sprintf(`{"by":%q,"rows":0}`, test.principal); got != want {
			t.Errorf("%s: got %s, want %s", test.reason, got, want)
		}
	}
}

// TestClientRecords: the client records the progress reports and log records of each run.
func TestClientRecords(t *testing.T) {
	t.Parallel()
	for _, replay := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			c := &mcptooltest.Client{Answers: []any{true}, Replay: replay}
			mcptooltest.CallAs[exportIn, exportOut](t, c, exportTool(t), exportIn{Rows: 2})
			recorded(t, c, map[bool]int{false: 1, true: 2}[replay])
		})
	}
}

// TestTask: a call runs as a task of a server. The task has the state of the call and its result.
func TestTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &mcptooltest.Client{Principal: "ann", Scopes: both, Answers: []any{true, mcptooltest.RefusalDecline}}
		task := mcptooltest.StartTask(t, c, exportTool(t), exportIn{Rows: 2})
		status := func(task *mcptooltest.Task, want mcptooltest.TaskStatus) {
			t.Helper()
			synctest.Wait()
			if got := task.Status(t.Context()); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
		status(task, mcptooltest.TaskStatus{Status: "working", Message: "row 0"})
		time.Sleep(1500 * time.Millisecond)
		status(task, mcptooltest.TaskStatus{Status: "working", Message: "row 1"})
		if out := mcptooltest.AwaitTask[exportOut](t, task); out != (exportOut{By: "ann", Rows: 2}) {
			t.Errorf("got %+v", out)
		}
		status(task, mcptooltest.TaskStatus{Status: "completed"})
		recorded(t, c, 1)
		task.Cancel(t.Context())
		status(task, mcptooltest.TaskStatus{Status: "completed"})

		task = mcptooltest.StartTask(t, c, exportTool(t), exportIn{})
		if result, err := task.Wait(t.Context()); !errors.Is(err, mcptool.ErrDeclined) {
			t.Errorf("got %v, %v, want the error of the tool", result, err)
		}
		status(task, mcptooltest.TaskStatus{Status: "failed", Message: "the user declined: Send it?"})

		task = mcptooltest.StartTask(t, c, exportTool(t), exportIn{Rows: 9})
		task.Cancel(t.Context())
		status(task, mcptooltest.TaskStatus{Status: "cancelled", Message: "cancelled by the client"})
		if result, err := task.Wait(t.Context()); err == nil || !strings.Contains(err.Error(), "the task was cancelled") {
			t.Errorf("cancelled: got %v, %v", result, err)
		}
		late, err := mcptool.New(export, mcptool.Timeout(time.Second))
		if err != nil {
			t.Fatal(err)
		}
		task = mcptooltest.StartTask(t, &mcptooltest.Client{}, late, exportIn{Rows: 9})
		if result, err := task.Wait(t.Context()); err == nil {
			t.Errorf("timeout: got %v", result)
		}
		status(task, mcptooltest.TaskStatus{Status: "failed", Message: "the tool ran longer than its limit of 1s"})
		mcptooltest.StartTask(t, c, exportTool(t), exportIn{Rows: 9}) // cancelled at the end of the test
	})
}

// TestTaskEndsTheTest: a call that cannot be a task ends the test with the reason.
func TestTaskEndsTheTest(t *testing.T) {
	t.Parallel()
	forbidden := newTool(t, find)
	for _, test := range []struct {
		reason string
		client *mcptooltest.Client
		tool   *mcptool.Tool
		in     any
		want   string
	}{
		{"tool without tasks", &mcptooltest.Client{}, forbidden, map[string]string{"city": "Lisbon"}, `find({"city":"Lisbon"}): the tool does not support tasks; see mcptool.Task`},
		{"no server at the URL", &mcptooltest.Client{URL: "http://127.0.0.1:1/mcp"}, exportTool(t), map[string]int{"rows": 1}, `export({"rows":1}): Post "http://127.0.0.1:1/mcp": `},
		{"a tool without tasks over HTTP", &mcptooltest.Client{URL: "http://127.0.0.1:1/mcp"}, forbidden, map[string]string{"city": "Lisbon"}, "the tool does not support tasks; see mcptool.Task"},
		{"capabilities that are not an object", &mcptooltest.Client{URL: "http://127.0.0.1:1/mcp", Capabilities: json.RawMessage(`[]`)}, exportTool(t), map[string]int{"rows": 1}, "decode Client.Capabilities: "},
		{"hidden from the caller", &mcptooltest.Client{Principal: "ann"}, exportTool(t), map[string]int{"rows": 1}, "hidden from the caller"},
		{"invalid arguments", &mcptooltest.Client{}, exportTool(t), map[string]string{"rows": "x"}, "rows: must be an integer"},
	} {
		tb := &recorder{TB: t}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			switch in := test.in.(type) {
			case map[string]string:
				mcptooltest.AwaitTask[exportOut](tb, mcptooltest.StartTask(tb, test.client, test.tool, in))
			case map[string]int:
				mcptooltest.StartTask(tb, test.client, test.tool, in)
			}
		}()
		<-ended
		if !strings.Contains(tb.fatal, test.want) {
			t.Errorf("%s: the test ended with %q, want %q", test.reason, tb.fatal, test.want)
		}
	}
}

// TestClientClaims checks that a tool and its condition get the tenant and the claims.
func TestClientClaims(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]*mcptooltest.Client{
		`globex {"team":"one"}`: {Tenant: "globex", Principal: "ann", Claims: json.RawMessage(`{"team":"one"}`)},
		" ":                     {Tenant: "globex", Claims: json.RawMessage(`{"team":"one"}`)}, // a trusted caller has no token
	} {
		condition := "not called"
		tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (mcptool.Text, error) {
			return mcptool.Text{Text: mcptool.Caller(ctx).Tenant + " " + string(mcptool.Caller(ctx).Claims)}, nil
		}, mcptool.Name("claims"), mcptool.VisibleIf(func(_ context.Context, info mcptool.CallInfo) bool {
			condition = info.Tenant + " " + string(info.Claims)
			return true
		}))
		if err != nil {
			t.Fatal(err)
		}
		result, err := c.Call(t.Context(), tool, []byte(`{}`))
		if err != nil || result.Content[0].(mcptool.Text).Text != want || condition != want {
			t.Errorf("the tool got %v, %v, and the condition %q; want %q", result, err, condition, want)
		}
	}
}
