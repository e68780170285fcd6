package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/task"
)

// auditOf returns the audit records of a log.
func auditOf(t *testing.T, log *journal) (records []map[string]any) {
	t.Helper()
	for line := range strings.Lines(log.String()) {
		var record map[string]any
		decode(t, line, &record)
		if record["msg"] == "tool called" {
			records = append(records, record)
		}
	}
	return records
}

// TestAudit: the log has one record for each call, whatever its outcome, without argument values.
func TestAudit(t *testing.T) {
	t.Parallel()
	const call = `"name":"x","arguments":{"a":"the secret"}`
	for _, test := range []struct {
		name    string
		fn      func(context.Context) (*mcptool.Result, error)
		opts    []mcptool.ToolOption
		text    string
		access  *runtime.Access
		outcome string
		after   time.Duration
	}{
		{name: "T-SEC-05 ok", text: call, outcome: "ok"},
		{name: "a principal", text: call, access: &runtime.Access{Principal: "ann"}, outcome: "ok"},
		{name: "a tenant", text: call, access: &runtime.Access{Tenant: "acme", Principal: "ann"}, outcome: "ok"},
		{name: "T-SEC-05 tool error", fn: func(context.Context) (*mcptool.Result, error) { return nil, errors.New("the secret") }, text: call, outcome: "error"},
		{name: "error result", fn: func(context.Context) (*mcptool.Result, error) { return &mcptool.Result{IsError: true}, nil }, text: call, outcome: "error"},
		{name: "a panic", fn: func(context.Context) (*mcptool.Result, error) { panic("boom") }, text: call, outcome: "failed"},
		{name: "invalid arguments", text: `"name":"x","arguments":{"b":"the secret"}`, outcome: "invalid_arguments"},
		{name: "T-SEC-05 a stuck tool", fn: func(context.Context) (*mcptool.Result, error) {
			time.Sleep(time.Minute)
			return &mcptool.Result{}, nil
		}, opts: []mcptool.ToolOption{mcptool.Timeout(time.Second)}, text: call, outcome: "timed_out", after: time.Second},
		{name: "scopes", opts: []mcptool.ToolOption{mcptool.Scopes("use")}, text: call, access: &runtime.Access{Principal: "ann"}, outcome: "refused"},
		{name: "arguments not an object", text: `"name":"x","arguments":"the secret"`, outcome: "refused"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				made, err := mcptool.NewRaw("x", json.RawMessage(`{"type":"object","required":["a"]}`), func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
					if test.fn != nil {
						return test.fn(ctx)
					}
					return &mcptool.Result{}, nil
				}, test.opts...)
				if err != nil {
					t.Fatal(err)
				}
				srv := serve(t, made)
				log := logged(srv, slog.LevelInfo)
				srv.Observer = audit.New(srv.Logger)
				w := open(t, srv)
				w.handshake("2025-11-25")
				m := srv.Read([]byte(legacy(`"a7"`, "tools/call", test.text)))
				m.Access = (*engine.Access)(test.access)
				w.session.Serve(m, nil)
				answer := <-w.out
				time.Sleep(time.Hour) // until the tool has returned; a second record would be written by then
				synctest.Wait()
				records := auditOf(t, log)
				if len(records) != 1 {
					t.Fatalf("got %d records, want 1: %s", len(records), log)
				}
				_, arguments, _ := strings.Cut(test.text, `"arguments":`)
				principal := ""
				if test.access != nil {
					principal = test.access.Principal
				}
				delete(records[0], "time")
				want := map[string]any{
					"level": "INFO", "msg": "tool called", "tool": "x", "principal": principal, "client": "tester", "client_version": "1",
					"protocol": "2025-11-25", "request_id": `"a7"`, "duration": float64(test.after), "outcome": test.outcome,
					"bytes_in": float64(len(arguments)), "bytes_out": float64(len(answer)),
				}
				if test.access != nil && test.access.Tenant != "" {
					want["tenant"] = test.access.Tenant
				}
				if diff := cmp.Diff(want, records[0]); diff != "" {
					t.Errorf("record mismatch (-want +got):\n%s", diff)
				}
				if strings.Contains(log.String(), "the secret") {
					t.Errorf("the log has an argument value: %s", log)
				}
			})
		})
	}
}

// TestAuditOfOthers: calls that are cancelled, stopped or rate limited are recorded. Nothing is recorded below the level.
func TestAuditOfOthers(t *testing.T) {
	t.Parallel()
	waits := func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	for _, test := range []struct {
		name  string
		level slog.Level
		opts  []mcptool.ToolOption
		then  func(w *wire)
		want  string
	}{
		{"cancelled", slog.LevelInfo, nil, func(w *wire) {
			w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		}, "cancelled"},
		{"stopped", slog.LevelInfo, nil, func(w *wire) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			_ = w.session.Close(ctx) // returns an error about the cancelled call
		}, "stopped"},
		{"rate_limited", slog.LevelInfo, []mcptool.ToolOption{mcptool.RateLimit(mcptool.Rate{Calls: 1})}, func(w *wire) { w.send(legacy("2", "tools/call", `"name":"x"`)) }, "rate_limited"},
		{"level disabled", slog.LevelWarn, nil, func(w *wire) { _ = w.session.Close(w.t.Context()) }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := serve(t, tool(t, "x", waits, append(test.opts, mcptool.Timeout(time.Hour))...))
				log := logged(srv, test.level)
				srv.Observer = audit.New(srv.Logger)
				w := open(t, srv)
				w.handshake("2025-11-25")
				w.send(legacy("1", "tools/call", `"name":"x"`))
				synctest.Wait()
				test.then(w)
				synctest.Wait()
				records := auditOf(t, log)
				switch {
				case test.want == "" && len(records) == 0:
				case len(records) != 1 || records[0]["outcome"] != test.want:
					t.Errorf("records = %v, want one with outcome %q", records, test.want)
				}
			})
		})
	}
}

// TestAuditOfTasks: a call that runs as a task is recorded when the task ends.
func TestAuditOfTasks(t *testing.T) {
	t.Parallel()
	runs := func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
		var heeds <-chan struct{}
		if string(args) != `{"deaf":true}` {
			heeds = ctx.Done()
		}
		select {
		case <-heeds:
			return nil, ctx.Err()
		case <-time.After(time.Minute):
		}
		if string(args) == `{"fail":true}` {
			return nil, errors.New("no")
		}
		return &mcptool.Result{}, nil
	}
	const fails, deaf = `,"arguments":{"fail":true}`, `,"arguments":{"deaf":true}`
	cancel := func(_ *runtime.Server, w *wire, id string) {
		w.send(tasked("2", "tasks/cancel", `,"taskId":"`+id+`"`))
	}
	shutDown := func(srv *runtime.Server, _ *wire, _ string) {
		ctx, stop := context.WithCancel(context.Background())
		stop()
		_ = srv.Shutdown(ctx)
	}
	expire := func(srv *runtime.Server, _ *wire, id string) { _ = srv.Tasks.(stored).Delete(context.Background(), id) }
	for _, test := range []struct {
		name, args string
		timeout    time.Duration
		then       func(srv *runtime.Server, w *wire, id string)
		want       string
		after      time.Duration
	}{
		{"completed", "", 0, nil, "ok", time.Minute},
		{"tool error", fails, 0, nil, "error", time.Minute},
		{"timeout", "", time.Second, nil, "timed_out", time.Second},
		{"cancelled", "", 0, cancel, "cancelled", time.Second},
		{"cancelled, late result", deaf, 0, cancel, "cancelled", time.Second},
		{"shutdown", "", 0, shutDown, "stopped", time.Second},
		{"shutdown, late result", deaf, 0, shutDown, "stopped", 2 * time.Second},
		{"deleted, late result", deaf, 0, expire, "stopped", time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				opts := []mcptool.ToolOption{mcptool.Task(mcptool.TaskSupportRequired)}
				if test.timeout > 0 {
					opts = append(opts, mcptool.Timeout(test.timeout))
				}
				srv := taskServer(t, tool(t, "x", runs, opts...))
				srv.Tasks = storedIn(task.NewMemory(task.MemoryLimits{}))
				log := logged(srv, slog.LevelInfo)
				srv.Observer = audit.New(srv.Logger)
				w := open(t, srv)
				w.send(tasked("1", "tools/call", `,"name":"x"`+test.args))
				id, _ := taskOf(t, w.next())
				time.Sleep(time.Second - time.Millisecond)
				if records := auditOf(t, log); len(records) != 0 {
					t.Errorf("records before the end of the task: %v", records)
				}
				time.Sleep(time.Millisecond)
				if test.then != nil {
					test.then(srv, w, id)
				}
				time.Sleep(2 * time.Minute)
				records := auditOf(t, log)
				if len(records) != 1 || records[0]["outcome"] != test.want || records[0]["duration"] != float64(test.after) {
					t.Errorf("records = %v, want one with outcome %q after %v", records, test.want, test.after)
				}
			})
		})
	}
}

// lingeringStore lets other goroutines run after each update, before it returns.
type lingeringStore struct{ task.Store }

func (s lingeringStore) Update(ctx context.Context, r task.Record) (task.Record, error) {
	r, err := s.Store.Update(ctx, r)
	for range 100 {
		goruntime.Gosched()
	}
	return r, err
}

// TestAuditOfOneEnd: both the deadline and the tool that notices it try to end the task. The record is of the one that
// succeeds.
func TestAuditOfOneEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := taskServer(t, tool(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, mcptool.Task(mcptool.TaskSupportRequired), mcptool.Timeout(time.Second)))
		srv.Tasks = tasks.New(lingeringStore{task.NewMemory(task.MemoryLimits{})})
		log := logged(srv, slog.LevelInfo)
		srv.Observer = audit.New(srv.Logger)
		w := open(t, srv)
		for range 20 {
			w.send(tasked("1", "tools/call", `,"name":"x"`))
			taskOf(t, w.next())
			time.Sleep(time.Minute)
		}
		records := auditOf(t, log)
		if len(records) != 20 {
			t.Errorf("got %d records of 20 calls", len(records))
		}
		for _, r := range records {
			if r["outcome"] != "timed_out" {
				t.Errorf("record = %v, want timed_out", r)
			}
		}
	})
}

// TestAuditOfQuestions: a call of a modern client that asks ends and is recorded, and the retry with the answers is
// recorded again. A call that waits for the answer is recorded once.
func TestAuditOfQuestions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, confirming(t, "x", nil))
		log := logged(srv, slog.LevelInfo)
		srv.Observer = audit.New(srv.Logger)
		w := open(t, srv)
		w.handshakeAble("2025-11-25")
		w.send(callNamed("1", "x"))
		w.want(`"method":"elicitation/create"`)
		if records := auditOf(t, log); len(records) != 0 {
			t.Errorf("records before the end of the call: %v", records)
		}
		w.send(agreeTo(1))
		w.want(`"id":1,"result"`)
		synctest.Wait() // the record is written after the answer
		w.send(able("2", "tools/call", `,"name":"x"`))
		w.want(`"input_required"`)
		synctest.Wait()
		var outcomes []any
		for _, record := range auditOf(t, log) {
			outcomes = append(outcomes, record["outcome"])
		}
		if diff := cmp.Diff([]any{"ok", "asked"}, outcomes); diff != "" {
			t.Errorf("outcomes mismatch (-want +got):\n%s", diff)
		}
	})
}

// TestAuditOfBusyTools: a call rejected because the queue of its tool is full is recorded as busy. The duration of a call
// that waited includes the wait.
func TestAuditOfBusyTools(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "x", anHour, mcptool.Concurrent(1)))
		runtime.Fixed(srv).MaxWaitingCalls = 1
		log := logged(srv, slog.LevelInfo)
		srv.Observer = audit.New(srv.Logger)
		w := open(t, srv)
		w.handshake("2025-11-25")
		for _, id := range []string{"1", "2", "3"} {
			w.send(callNamed(id, "x"))
			synctest.Wait()
		}
		time.Sleep(3 * time.Hour)
		got := map[any][2]any{}
		for _, record := range auditOf(t, log) {
			got[record["request_id"]] = [2]any{record["outcome"], record["duration"]}
		}
		want := map[any][2]any{"1": {"ok", float64(time.Hour)}, "2": {"ok", float64(2 * time.Hour)}, "3": {"busy", float64(0)}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("records mismatch (-want +got):\n%s", diff)
		}
	})
}

// TestAuditArguments: records have the arguments of tools with AuditArguments, redacted and truncated.
func TestAuditArguments(t *testing.T) {
	t.Parallel()
	synctest.Test(t, auditArguments)
}

func auditArguments(t *testing.T) {
	t.Helper()
	srv := serve(t, tool(t, "open", echo, mcptool.AuditArguments(true)), tool(t, "closed", echo))
	runtime.Fixed(srv).MaxTextBytes = 40
	srv.Redact = func(text string) string { return strings.ReplaceAll(text, "secret", "***") }
	log := &journal{}
	srv.Observer = audit.New(slog.New(slog.NewJSONHandler(log, nil)))
	w := open(t, srv)
	w.handshake("2025-11-25")
	for _, call := range []struct{ tool, args, want string }{
		{"open", `{"a":"secret"}`, `{"a":"***"}`},
		{"open", `{"a":"` + strings.Repeat("x", 100) + `"}`, `{"a":"` + strings.Repeat("x", 31) + "…"},
		{"closed", `{"a":"secret"}`, ""},
	} {
		w.send(legacy("1", "tools/call", `"name":"`+call.tool+`","arguments":`+call.args))
		w.want(`"structuredContent"`)
		synctest.Wait() // the record is written after the answer
		records := auditOf(t, log)
		if got, _ := records[len(records)-1]["arguments"].(string); got != call.want {
			t.Errorf("%s: arguments in the record = %q, want %q", call.tool, got, call.want)
		}
	}
}

// TestAuditTrace: the record has the trace ID of the request's traceparent.
func TestAuditTrace(t *testing.T) {
	t.Parallel()
	const trace = "0af7651916cd43dd8448eb211c80319c"
	for _, test := range []struct {
		name, call, parent string
		want               any
	}{
		{"call", `"name":"x","arguments":{"a":1}`, "00-" + trace + "-b7ad6b7169203331-01", trace},
		{"rejected call", `"name":"x","arguments":7`, "00-" + trace + "-b7ad6b7169203331-01", trace},
		{"no trace", `"name":"x","arguments":{"a":1}`, trace, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, tool(t, "x", echo))
			log := new(journal)
			srv.Observer = audit.New(slog.New(slog.NewJSONHandler(log, nil)))
			w := open(t, srv)
			w.handshake("2025-11-25")
			w.send(legacy("1", "tools/call", test.call+`,"_meta":{"traceparent":"`+test.parent+`"}`))
			w.next()
			w.session.Close(t.Context())
			records := auditOf(t, log)
			if len(records) != 1 || records[0]["trace_id"] != test.want {
				t.Errorf("records = %v, want one of trace %v", records, test.want)
			}
		})
	}
}

// TestAuditInjected: the record names arguments that were removed because a client is known to add them.
func TestAuditInjected(t *testing.T) {
	t.Parallel()
	strict, err := mcptool.New(func(_ context.Context, in struct {
		A int `json:"a"`
	},
	) (struct{}, error) {
		return struct{}{}, nil
	}, mcptool.Name("strict"))
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]any{`{"a":1,"wait_for_previous":true}`: "wait_for_previous", `{"a":1}`: nil} {
		srv := serve(t, strict)
		log := new(journal)
		srv.Observer = audit.New(slog.New(slog.NewJSONHandler(log, nil)))
		w := open(t, srv)
		w.handshake("2025-06-18")
		w.send(legacy("1", "tools/call", `"name":"strict","arguments":`+args))
		w.next()
		w.session.Close(t.Context())
		records := auditOf(t, log)
		if len(records) != 1 || records[0]["outcome"] != "ok" || records[0]["injected"] != want {
			t.Errorf("%s: records = %v, want one with injected %v", args, records, want)
		}
	}
}
