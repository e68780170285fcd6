package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/task"
)

// broken is a writer that panics at its end, and with atOnce also at its second message.
type broken struct {
	*recorder
	atOnce bool
}

func (b broken) Notify(msg []byte) error {
	if err := b.recorder.Notify(msg); err != nil {
		return err
	}
	if b.atOnce && len(b.notes) > 1 {
		panic("broken")
	}
	return nil
}

func (b broken) Respond(msg []byte, end runtime.End) error {
	_ = b.recorder.Respond(msg, end)
	panic("broken")
}

// napping returns a tool that reports progress twice, sleeps for two seconds, ignoring its context, and reports again.
func napping(t *testing.T, opts ...mcptool.ToolOption) *mcptool.Tool {
	t.Helper()
	return tool(t, "nap", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		mcptool.Progress(ctx, 1, 0, "")
		mcptool.Progress(ctx, 2, 0, "")
		time.Sleep(2 * time.Second)
		mcptool.Progress(ctx, 3, 0, "")
		return &mcptool.Result{}, nil
	}, opts...)
}

// TestBrokenWriter: a panic of a transport, in any goroutine, ends neither the process nor the session, and
// is logged.
func TestBrokenWriter(t *testing.T) {
	t.Parallel()
	const token = `"_meta":{"progressToken":1}`
	named := `,"name":"nap"`
	progress := func(request string) string {
		return strings.Replace(request, `"_meta":{`, `"_meta":{"progressToken":1,`, 1)
	}
	for _, test := range []struct {
		name, reason string
		opts         []mcptool.ToolOption
		revision     string // of the handshake, if any
		text         string
		tasks        int // number of tasks afterwards
	}{
		{"call", "answered by the goroutine that runs it", nil, "", modern("1", "tools/call", named), 0},
		{"progress", "a timer sends delayed progress", nil, "", progress(modern("1", "tools/call", named)), 0},
		{"timeout", "answered by a timer", []mcptool.ToolOption{mcptool.Timeout(time.Second)}, "", modern("1", "tools/call", named), 0},
		{"timeout after progress", "both panic", []mcptool.ToolOption{mcptool.Timeout(time.Second)}, "", progress(modern("1", "tools/call", named)), 0},
		{"optional task", "answered by its own goroutine", []mcptool.ToolOption{mcptool.Task(mcptool.TaskSupportOptional)}, "", tasked("1", "tools/call", named), 0},
		{"slow optional task", "answered by the waiting goroutine", []mcptool.ToolOption{mcptool.Task(mcptool.TaskSupportOptional), mcptool.PollInterval(time.Second)}, "", tasked("1", "tools/call", named), 1},
		{"required task", "answered by the reading goroutine", []mcptool.ToolOption{mcptool.Task(mcptool.TaskSupportRequired)}, "", tasked("1", "tools/call", named), 1},
		{
			"required task in 2025-11-25", "the exchange ends with the call",
			[]mcptool.ToolOption{mcptool.Task(mcptool.TaskSupportRequired)},
			"2025-11-25",
			legacy("1", "tools/call", `"task":{},`+token+named), 1,
		},
	} {
		for _, atOnce := range []bool{false, true} {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					srv := taskServer(t, napping(t, test.opts...))
					if test.name == "optional task" {
						srv.Limits.Tasks.Delay = time.Minute
					}
					kept := task.NewMemory(task.MemoryLimits{})
					srv.Tasks = tasks.New(kept)
					log := logged(srv, slog.LevelError)
					x := broken{newRecorder(), atOnce}
					m := srv.Read([]byte(test.text))
					answer := func() { srv.Endpoint(t.Context()).Answer(t.Context(), m, x) }
					if test.revision != "" {
						w := open(t, srv)
						w.handshakeAble(test.revision)
						answer = func() { w.session.Serve(m, x) }
					}
					began := time.Now()
					answer()
					if took := time.Since(began); took > time.Second && test.name == "timeout" {
						t.Errorf("%s: answered after %v, want at most 1s", test.reason, took)
					}
					time.Sleep(time.Minute)
					synctest.Wait()
					if x.ends != 1 {
						t.Errorf("%s: answered %d times, want 1: %s", test.reason, x.ends, x.last)
					}
					if !strings.Contains(log.String(), "broken") {
						t.Errorf("the panic was not logged: %s", log)
					}
					records, err := kept.List(t.Context(), task.Owner{}, "", 10)
					if err != nil || len(records) != test.tasks {
						t.Errorf("got %d tasks (%v), want %d", len(records), err, test.tasks)
					}
					for _, r := range records {
						if !r.Status.Ended() {
							t.Errorf("the task has not ended: %+v", r)
						}
					}
					if err := srv.Shutdown(t.Context()); err != nil {
						t.Errorf("Shutdown = %v", err)
					}
				})
			})
		}
	}
}

// brokenStore is a store that panics in Wait or Update.
type brokenStore struct {
	task.Store
	waits, updates bool
}

func (s brokenStore) Wait(ctx context.Context, id string, seen uint64) (task.Record, error) {
	if s.waits {
		panic("broken")
	}
	return s.Store.Wait(ctx, id, seen)
}

func (s brokenStore) Update(ctx context.Context, r task.Record) (task.Record, error) {
	if s.updates {
		panic("broken")
	}
	return s.Store.Update(ctx, r)
}

// brokenConn panics at messages that contain at.
type brokenConn struct {
	*recorder
	at string
}

func (b brokenConn) Notify(msg []byte) error {
	if strings.Contains(string(msg), b.at) {
		panic("broken")
	}
	return b.recorder.Notify(msg)
}

func (b brokenConn) Respond(msg []byte, end runtime.End) error {
	return enginetest.Respond(b.Notify, msg, end)
}

// TestBrokenConn: a panic of a transport at a message that answers no request is also recovered, and the session can be closed.
func TestBrokenConn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, at string
		messages []string
	}{
		{"notification of a change", "list_changed", []string{
			legacy("1", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tester","version":"1"}`),
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		}},
		{"end of a subscription", `"id":"s"`, []string{modern(`"s"`, "subscriptions/listen", `,"notifications":{}`)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := serve(t, napping(t))
				log := logged(srv, slog.LevelError)
				session := srv.Open(t.Context(), brokenConn{newRecorder(), test.at})
				for _, msg := range test.messages {
					session.Receive([]byte(msg))
				}
				if err := srv.Tools.Add(tool(t, "more", echo)); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if err := session.Close(ctx); err != nil || ctx.Err() != nil {
					t.Errorf("Close = %v, context %v", err, ctx.Err())
				}
				if !strings.Contains(log.String(), "broken") {
					t.Errorf("the panic was not logged: %s", log)
				}
			})
		})
	}
}

// brokenTransport is a source and connection that panics in the method named at.
type brokenTransport struct {
	*parcels
	messages []string
	at       string
}

func (b *brokenTransport) breaks(at string) {
	if b.at == at {
		panic("broken")
	}
}

func (b *brokenTransport) Next() ([]byte, error) {
	b.breaks("Next")
	if len(b.messages) == 0 {
		return nil, io.EOF
	}
	time.Sleep(time.Millisecond / 2) // a fast call has ended by then
	msg := b.messages[0]
	b.messages = b.messages[1:]
	return []byte(msg), nil
}

func (b *brokenTransport) Ready() bool {
	b.breaks("Ready")
	return len(b.messages) > 0
}

func (b *brokenTransport) Detach() { b.breaks("Detach") }

func (b *brokenTransport) Respond(msg []byte, end runtime.End) error {
	b.breaks("Respond")
	return b.parcels.Respond(msg, end)
}

func (b *brokenTransport) Flush() error {
	b.breaks("Flush")
	return b.parcels.Flush()
}

// TestBrokenReading: a panic of a transport while the session reads from it ends ReceiveFrom with an error.
func TestBrokenReading(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"Next", "Ready", "Respond", "Flush", "Detach"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := serve(t, tool(t, "nap", nap))
				log := logged(srv, slog.LevelError)
				transport := &brokenTransport{parcels: &parcels{}, at: at, messages: []string{
					legacy("1", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tester","version":"1"}`),
					`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
					napCall(2, 0), napCall(3, 0), napCall(4, 100), legacy("5", "ping", ""), // the goroutine that reads runs the third, which is slow
				}}
				session := srv.Open(t.Context(), transport)
				err := session.ReceiveFrom(transport)
				if err == nil || !strings.Contains(err.Error(), "the transport panicked: broken") {
					t.Errorf("ReceiveFrom = %v, want the panic", err)
				}
				if !strings.Contains(log.String(), "broken") {
					t.Errorf("the panic was not logged: %s", log)
				}
				if err := session.Close(t.Context()); err != nil {
					t.Errorf("Close = %v", err)
				}
			})
		})
	}
}

// TestBrokenStoreOfResults: tasks/result is answered even if the store panics.
func TestBrokenStoreOfResults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := taskServer(t, napping(t, mcptool.Task(mcptool.TaskSupportRequired)))
		srv.Tasks = tasks.New(brokenStore{Store: task.NewMemory(task.MemoryLimits{}), waits: true})
		w := open(t, srv)
		w.handshakeAble("2025-11-25")
		w.send(legacy("1", "tools/call", `"task":{},"name":"nap"`))
		id, _ := taskOf(t, w.next())
		w.send(legacy("2", "tasks/result", `"taskId":"`+id+`"`))
		answer := w.next()
		if strings.Contains(answer, "notifications/tasks/status") { // the failure of the task is reported at any time
			answer = w.next()
		}
		if !strings.Contains(answer, `"id":2,"error"`) || !strings.Contains(answer, "cannot be looked up") {
			t.Errorf("got %s, want an error", answer)
		}
		time.Sleep(time.Minute) // until the tool has ended
	})
}

// TestBrokenStore: a panic of the store fails only the task.
func TestBrokenStore(t *testing.T) {
	t.Parallel()
	for _, store := range []brokenStore{{waits: true}, {updates: true}} {
		synctest.Test(t, func(t *testing.T) {
			store.Store = task.NewMemory(task.MemoryLimits{})
			srv := taskServer(t, napping(t, mcptool.Task(mcptool.TaskSupportRequired), mcptool.PollInterval(time.Second)))
			srv.Tasks = tasks.New(store)
			log := logged(srv, slog.LevelWarn)
			w := open(t, srv)
			w.send(tasked("1", "tools/call", `,"name":"nap"`))
			id, _ := taskOf(t, w.next())
			time.Sleep(time.Minute)
			if !strings.Contains(log.String(), "broken") {
				t.Errorf("the panic was not logged: %s", log)
			}
			if status := w.status(id); status == "working" || status == "completed" && store.updates {
				t.Errorf("task status %s", status)
			}
			if err := srv.Shutdown(t.Context()); errors.Is(err, runtime.ErrNotStored) != store.updates {
				t.Errorf("Shutdown = %v, want ErrNotStored: %t", err, store.updates)
			}
		})
	}
}
