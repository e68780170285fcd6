package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/taskqueue"
)

// TestObserverSessions: a session is an operation, which starts at initialize and has the negotiated revision.
func TestObserverSessions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		end  func(w *wire, leave context.CancelCauseFunc)
		want string
	}{
		{"closed", func(w *wire, _ context.CancelCauseFunc) { _ = w.session.Close(w.t.Context()) }, "ok"},
		{"ended by the transport", func(_ *wire, leave context.CancelCauseFunc) {
			leave(fmt.Errorf("%w: %w", runtime.ErrDisconnected, mcptool.Errorf("it was idle")))
		}, "ok"},
		{"disconnected", func(_ *wire, leave context.CancelCauseFunc) { leave(runtime.ErrDisconnected) }, "stopped"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv, l := observedServer(t)
				ctx, leave := context.WithCancelCause(t.Context())
				w := &wire{t: t, out: make(chan string, 9)}
				w.session = srv.Open(ctx, w)
				w.handshake("2025-06-18")
				time.Sleep(time.Minute)
				test.end(w, leave)
				synctest.Wait()
				failed := ""
				if test.want != "ok" {
					failed = " FAILED"
				}
				want := []string{
					`request initialize : "init" stdio 102 = ok 0s 403`,
					"notification notifications/initialized : 2025-06-18 stdio 0 = ok 0s 0",
					"session : 2025-06-18 stdio 0 = " + test.want + " 1m0s 0" + failed,
				}
				got := l.check(t)
				for i := range got { // ignore the sizes
					if strings.HasPrefix(got[i], "request initialize") {
						got[i] = want[0]
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("operations mismatch (-want +got):\n%s", diff)
				}
				_ = w.session.Close(t.Context())
			})
		})
	}
}

// TestObserverSessionTooLate: a session whose connection has ended before its handshake is not an operation, since it
// would never end.
func TestObserverSessionTooLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv, l := observedServer(t)
		ctx, leave := context.WithCancelCause(t.Context())
		w := &wire{t: t, out: make(chan string, 9)}
		w.session = srv.Open(ctx, w)
		leave(runtime.ErrDisconnected)
		synctest.Wait()
		w.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
		synctest.Wait()
		l.check(t)
		_ = w.session.Close(t.Context())
	})
}

// TestObserverTasks: the operation of a task ends with the task, and so do requests that wait for it.
func TestObserverTasks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv, l := observedServer(t)
		srv.Tasks = tasks.New(task.NewMemory(task.MemoryLimits{}))
		w := open(t, srv)
		w.handshake("2025-11-25")
		w.send(legacy("1", "tools/call", `"name":"task","task":{}`))
		id, _ := taskOf(t, w.next())
		w.send(legacy("2", "tasks/result", `"taskId":"`+id+`"`), legacy("3", "tasks/get", `"taskId":"`+id+`"`))
		time.Sleep(time.Second)
		w.send(legacy("4", "tasks/cancel", `"taskId":"`+id+`"`), legacy("5", "tasks/get", `"taskId":"none"`))
		time.Sleep(time.Hour)
		var got []string
		for _, line := range l.check(t, observe.KindSession)[2:] {
			method, rest, _ := strings.Cut(line, " : ")
			_, outcome, _ := strings.Cut(rest, " = ")
			if outcome == "" {
				method, outcome, _ = strings.Cut(line, " = ")
			}
			got = append(got, method+" = "+strings.Join(strings.Fields(outcome)[:2], " "))
		}
		want := []string{
			"request tools/call tool:task 2025-11-25 1 stdio 0 = task 0s",
			"request tasks/get = ok 0s",
			"task tools/call tool:task 2025-11-25 1 stdio 0 = cancelled 1s",
			"request tasks/cancel = ok 0s",
			"request tasks/get = refused 0s",
			"request tasks/result = refused 1s",
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("operations mismatch (-want +got):\n%s", diff)
		}
	})
}

// heldStore is a store whose Get of the task "held" blocks until its context ends.
type heldStore struct{ task.Store }

func (s heldStore) Get(ctx context.Context, id string) (task.Record, error) {
	if id == "held" {
		<-ctx.Done()
		return task.Record{}, ctx.Err()
	}
	return s.Store.Get(ctx, id)
}

// TestObserverWaits: requests that wait for a task or the store end when the client cancels them, and with the session.
func TestObserverWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv, l := observedServer(t)
		srv.Tasks = tasks.New(heldStore{task.NewMemory(task.MemoryLimits{})})
		w := open(t, srv)
		w.handshake("2025-11-25")
		w.send(legacy("1", "tools/call", `"name":"task","task":{}`))
		id, _ := taskOf(t, w.next())
		synctest.Wait()
		l.check(t, observe.KindTask, observe.KindSession)
		w.send(legacy("2", "tasks/result", `"taskId":"`+id+`"`), legacy("3", "tasks/result", `"taskId":"`+id+`"`),
			legacy("4", "tasks/get", `"taskId":"held"`), legacy("5", "tasks/get", `"taskId":"held"`))
		for _, cancelled := range []string{"2", "4"} {
			w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + cancelled + `}}`)
		}
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_ = w.session.Close(ctx)
		synctest.Wait()
		got := map[string]string{}
		for _, line := range l.check(t, observe.KindTask) {
			if fields := strings.Fields(line); fields[0] == "request" {
				_, ended, _ := strings.Cut(line, " = ")
				got[fields[1]+" "+fields[4]], _, _ = strings.Cut(ended, " ")
			}
		}
		time.Sleep(time.Hour) // until the tool has returned
		want := map[string]string{"tasks/result 2": "cancelled", "tasks/result 3": "stopped", "tasks/get 4": "cancelled", "tasks/get 5": "refused"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("outcomes mismatch (-want +got):\n%s", diff)
		}
	})
}

// TestObserverDurable: each run of a task is an operation, and the func has the context of its run.
func TestObserverDurable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ledgers []*ledger
		said := make(chan string, 2)
		all := runners(t, 2, taskqueue.NewMemory(task.MemoryLimits{}, 0), func(i int) *mcptool.Tool {
			return tool(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
				said <- operationsIn(ctx)
				if i == 0 {
					return untilEnd(ctx)
				}
				return &mcptool.Result{}, nil
			}, durably()...)
		}, func(srv *runtime.Server) {
			ledgers = append(ledgers, new(ledger))
			srv.Observer = ledgers[len(ledgers)-1]
		})
		id := all[0].begin("x")
		all[0].link.cut()
		time.Sleep(6 * time.Minute)
		all[1].wantEnd(id, `"taskId":"`+id)
		for i, want := range []string{"request:tools/call task:tools/call", "task:tools/call"} {
			if got := <-said; got != want {
				t.Errorf("run %d: operations in the context = %q, want %q", i+1, got, want)
			}
		}
		for i, want := range []string{"= stopped", "= ok 0s"} {
			tasks := 0
			for _, line := range ledgers[i].check(t) {
				if strings.HasPrefix(line, "task tools/call tool:x") {
					tasks++
					if !strings.Contains(line, want) {
						t.Errorf("run %d: operation = %s, want %s", i+1, line, want)
					}
				}
			}
			if tasks != 1 {
				t.Errorf("instance %d: %d runs, want 1", i+1, tasks)
			}
		}
	})
}

// TestObserverStored: the operation of a later run of a task, or of its end without a run, has the stored data of the
// request.
func TestObserverStored(t *testing.T) {
	t.Parallel()
	ann := &runtime.Access{Principal: "ann", Scopes: []string{"x", "y"}}
	for _, test := range []struct {
		name   string
		access *runtime.Access
		then   []mcptool.ToolOption // options of the tool at the second instance
		given  string               // arguments, if the tool runs
		want   string
	}{
		{"trusted peer", nil, durably(mcptool.AuditArguments(true)), `{"n":7}`, "task tools/call tool:x 2026-07-28 7 = ok 0s 115"},
		{"caller", ann, durably(mcptool.AuditArguments(true)), `{"n":7}`, "task tools/call tool:x 2026-07-28 7 by ann = ok 0s 115"},
		{"not durable", ann, []mcptool.ToolOption{mcptool.AuditArguments(true)}, "", "task tools/call tool:x 2026-07-28 7 by ann = failed 0s 0 FAILED"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var l *ledger // ledger of the second instance
				meta, given := "", ""
				all := runners(t, 2, taskqueue.NewMemory(task.MemoryLimits{}, 0), func(i int) *mcptool.Tool {
					if i == 0 {
						return tool(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) { return untilEnd(ctx) }, durably()...)
					}
					return tool(t, "x", func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil }, test.then...)
				}, func(srv *runtime.Server) {
					own := new(ledger)
					srv.Observer = observerFunc(func(ctx context.Context, op *observe.Operation) context.Context {
						meta = string(op.Meta)
						return own.Begin(ctx, op)
					}, func(ctx context.Context, op *observe.Operation, r observe.Result) {
						if own == l {
							given = r.Arguments
						}
						own.End(ctx, op, r)
					})
					l = own
				})
				first := all[0]
				m := first.srv.Read([]byte(tasked("1", "tools/call", `,"name":"x","arguments":{"n":7}`)))
				m.Access = (*engine.Access)(test.access)
				first.session.Serve(m, writerOf(first.wire))
				taskOf(t, first.next())
				first.link.cut()
				time.Sleep(6 * time.Minute)
				if diff := cmp.Diff([]string{test.want}, l.check(t)); diff != "" {
					t.Errorf("operations mismatch (-want +got):\n%s", diff)
				}
				if !strings.HasPrefix(meta, `{"io.modelcontextprotocol/protocolVersion"`) {
					t.Errorf("Meta = %q", meta)
				}
				if given != test.given {
					t.Errorf("Arguments = %q, want %q", given, test.given)
				}
			})
		})
	}
}

// TestObserverTaskMoves: a run of a durable task is stopped if a shutdown releases the task, and failed if its end cannot
// be stored.
func TestObserverTaskMoves(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"shutdown": "= stopped 1s 0 FAILED", "cut": "= failed 11s 0 FAILED"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := new(ledger)
				srv := taskServer(t, tool(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
					if name == "shutdown" {
						return untilEnd(ctx)
					}
					time.Sleep(time.Second)
					return says("done"), nil
				}, mcptool.Task(mcptool.TaskSupportRequired), mcptool.Durable(name == "shutdown")))
				cuttable := newLink(taskqueue.NewMemory(task.MemoryLimits{}, 0))
				srv.Tasks, srv.Observer = tasks.New(cuttable), l
				w := open(t, srv)
				w.send(tasked("1", "tools/call", `,"name":"x"`))
				id, _ := taskOf(t, w.next())
				synctest.Wait()
				l.check(t, observe.KindTask)
				if name == "cut" {
					cuttable.cut()
				}
				time.Sleep(time.Second)
				if name == "shutdown" {
					ended, end := context.WithCancel(t.Context())
					end()
					err := srv.Shutdown(ended)
					if r, getErr := cuttable.Get(t.Context(), id); err != nil || getErr != nil || r.Status != task.StatusWorking || r.Durable.GivenUp == "" {
						t.Errorf("task status %s, %+v, want working and given up; Shutdown = %v, Get = %v", r.Status, r.Durable, err, getErr)
					}
				}
				time.Sleep(time.Hour)
				if lines := l.check(t); len(lines) != 1 || !strings.HasPrefix(lines[0], "task tools/call tool:x") || !strings.HasSuffix(lines[0], want) {
					t.Errorf("operations = %q, want one that ends with %s", lines, want)
				}
			})
		})
	}
}

// TestObserverSubscription: a subscription is one operation, which keeps its _meta until it ends.
func TestObserverSubscription(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv, l := observedServer(t)
		meta := ""
		srv.Observer = observerFunc(l.Begin, func(ctx context.Context, op *observe.Operation, r observe.Result) {
			meta = string(op.Meta)
			l.End(ctx, op, r)
		})
		w := open(t, srv)
		message := []byte(modern("1", "subscriptions/listen", `,"notifications":{"toolsListChanged":true}`))
		w.session.Serve(srv.Read(message), nil)
		clear(message) // the transport reuses the buffer
		w.want("acknowledged")
		time.Sleep(time.Minute)
		if lines := l.check(t, observe.KindRequest); len(lines) != 0 {
			t.Errorf("the operation ended early: %v", lines)
		}
		_ = w.session.Close(t.Context())
		synctest.Wait()
		if !strings.HasPrefix(meta, `{"io.modelcontextprotocol/protocolVersion"`) {
			t.Errorf("Meta at the end = %q", meta)
		}
		if lines := l.check(t); len(lines) != 1 || !strings.Contains(lines[0], "request subscriptions/listen : 2026-07-28 1 stdio 156 = ok 1m0s") {
			t.Errorf("operations = %q", lines)
		}
	})
}

// TestObserverArguments: only items with AuditArguments show arguments, redacted.
func TestObserverArguments(t *testing.T) {
	t.Parallel()
	srv := serve(t, tool(t, "open", echo, mcptool.AuditArguments(true)), tool(t, "closed", echo))
	srv.Redact = strings.NewReplacer("secret", "***", `"pin":"123"`, `"pin":"***"`).Replace
	got := make(chan string, 2)
	srv.Observer = observerFunc(func(ctx context.Context, _ *observe.Operation) context.Context { return ctx },
		func(_ context.Context, _ *observe.Operation, r observe.Result) { got <- r.Arguments })
	w := open(t, srv)
	for _, test := range []struct{ name, arguments, want string }{
		{"open", `{"a":"secret"}`, `{"a":"***"}`},
		{"open", `{"a":"\u0073ecret"}`, `{"a":"***"}`},
		{"open", `{"a":"123","pin":"123"}`, `{"a":"123","pin":"***"}`},
		{"closed", `{"a":"secret"}`, ""},
	} {
		w.send(modern("1", "tools/call", `,"name":"`+test.name+`","arguments":`+test.arguments))
		if arguments := <-got; arguments != test.want {
			t.Errorf("%s with %s: got %q, want %q", test.name, test.arguments, arguments, test.want)
		}
	}
	w.send(modern("1", "tools/call", `,"name":"none","arguments":{"a":"secret"}`), modern("1", "tools/list", ""))
	if a, b := <-got, <-got; a != "" || b != "" {
		t.Errorf("arguments of other requests = %q and %q, want none", a, b)
	}
}

// TestObserverPanics: a panic of an observer is logged, and affects neither clients nor the audit log.
func TestObserverPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv, _ := observedServer(t)
		log, records := logged(srv, slog.LevelError), new(journal)
		srv.Observer = observe.All(audit.New(slog.New(slog.NewJSONHandler(records, nil))), observerFunc(
			func(context.Context, *observe.Operation) context.Context { panic("in Begin") },
			func(context.Context, *observe.Operation, observe.Result) { panic("in End") }))
		w := open(t, srv)
		w.handshakeAble("2025-11-25")
		w.send(legacy("1", "tools/call", `"name":"ok"`))
		w.want(`"text":""`)
		w.send(legacy("2", "tools/call", `"name":"task","task":{}`))
		w.want(`"taskId"`)
		w.send(callNamed("3", "ask"))
		w.want(`"method":"elicitation/create"`)
		w.send(agreeTo(1))
		w.want(`"id":3,"result"`)
		time.Sleep(time.Hour)
		_ = w.session.Close(t.Context())
		synctest.Wait()
		for _, want := range []string{`"msg":"Server.Observer panicked","panic":"in Begin"`, `"msg":"Server.Observer panicked","panic":"in End"`} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("log lacks %s:\n%s", want, log)
			}
		}
		if got := auditOf(t, records); len(got) != 3 {
			t.Errorf("the audit log of the same server has %d records, want one of each call: %v", len(got), got)
		}
	})
}

// TestObserverBrokenWriter: an operation ends once also if the transport panics when it gets the response.
func TestObserverBrokenWriter(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text string }{
		{"call", modern("1", "tools/call", `,"name":"ok"`)},
		{"call that fails", modern("1", "tools/call", `,"name":"fails"`)},
		{"list", modern("1", "tools/list", "")},
		{"short answer", modern("1", "server/discover", "")},
		{"refused request", modern("1", "tools/nothing", "")},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv, l := observedServer(t)
			func() {
				defer func() { _ = recover() }() // what is not a call is recovered by the transport
				srv.Endpoint(t.Context()).Answer(t.Context(), srv.Read([]byte(test.text)), broken{newRecorder(), false})
			}()
			if lines := l.check(t); len(lines) != 1 {
				t.Errorf("operations = %q, want one", lines)
			}
		})
	}
	t.Run("subscription", func(t *testing.T) {
		t.Parallel()
		srv, l := observedServer(t)
		session := srv.Open(t.Context(), brokenConn{newRecorder(), `"id":"s"`})
		session.Receive([]byte(modern(`"s"`, "subscriptions/listen", `,"notifications":{}`)))
		_ = session.Close(t.Context())
		if lines := l.check(t); len(lines) != 1 {
			t.Errorf("operations = %q, want one", lines)
		}
	})
}

// sessionObserver observes sessions only.
type sessionObserver struct {
	begun context.Context //nolint:containedctx // of the last one
	ended chan time.Time
}

func (o *sessionObserver) Begin(ctx context.Context, op *observe.Operation) context.Context {
	if op.Kind == observe.KindSession {
		o.begun = ctx
	}
	return ctx
}

func (o *sessionObserver) End(_ context.Context, op *observe.Operation, _ observe.Result) {
	if op.Kind == observe.KindSession {
		o.ended <- time.Now()
	}
}

// TestSessionEndsAfterCalls: an observer is notified of the end of a session when its calls have returned, but at most
// CloseGrace after their contexts have ended. It gets the values of the request that began the session.
func TestSessionEndsAfterCalls(t *testing.T) {
	t.Parallel()
	type key struct{}
	for _, test := range []struct {
		name        string
		takes, want time.Duration
	}{
		{"short call", 600 * time.Millisecond, 600 * time.Millisecond},
		{"call that ignores its context", time.Hour, runtime.Limits{}.Resolved().CloseGrace},
	} {
		for _, how := range []string{"disconnected", "closed"} {
			t.Run(test.name+", "+how, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					srv := serve(t, tool(t, "slow", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
						<-ctx.Done()
						time.Sleep(test.takes)
						return nil, ctx.Err()
					}))
					srv.Logger = slog.New(slog.DiscardHandler)
					o := &sessionObserver{ended: make(chan time.Time, 9)}
					srv.Observer = o
					ctx, leave := context.WithCancelCause(t.Context())
					w := &wire{t: t, out: make(chan string, 9)}
					w.session = srv.Open(ctx, w)
					m := srv.Read([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
					m.Values = context.WithValue(t.Context(), key{}, "value")
					w.session.Serve(m, nil)
					if o.begun == nil || o.begun.Value(key{}) != "value" {
						t.Error("Begin has not got the values of the request")
					}
					w.send(legacy("2", "tools/call", `"name":"slow"`))
					synctest.Wait()
					begun := time.Now()
					leave(runtime.ErrDisconnected)
					if how == "closed" {
						_ = w.session.Close(t.Context())
					}
					if took := (<-o.ended).Sub(begun); took != test.want {
						t.Errorf("the session ended %v after its context, want %v", took, test.want)
					}
					_ = w.session.Close(t.Context())
					time.Sleep(test.takes)
					if len(o.ended) > 0 {
						t.Error("the session ended twice")
					}
				})
			})
		}
	}
}
