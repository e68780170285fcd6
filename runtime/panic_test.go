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

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/task"
)

// broken is a transport that panics when it ends, and maybe at the second message before that.
type broken struct {
	*recorder
	atOnce bool
}

func (b broken) Send(msg []byte) error {
	if err := b.recorder.Send(msg); err != nil {
		return err
	}
	if b.atOnce && len(b.notes) > 1 {
		panic("broken")
	}
	return nil
}

func (b broken) End(msg []byte, why runtime.Disposition) {
	b.recorder.End(msg, why)
	panic("broken")
}

// napping is a tool that reports progress twice, sleeps for two seconds whatever becomes of its call, and reports again.
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

// TestBrokenExchange: a transport that panics takes neither the process nor the session with it, in
// whatever goroutine that happens, and the log knows of it.
func TestBrokenExchange(t *testing.T) {
	t.Parallel()
	const token = `"_meta":{"progressToken":1}`
	named := `,"name":"nap"`
	progress := func(request string) string {
		return strings.Replace(request, `"_meta":{`, `"_meta":{"progressToken":1,`, 1)
	}
	for _, test := range []struct {
		name, reason string
		opts         []mcptool.ToolOption
		revision     string // of the handshake, if there is one
		text         string
		tasks        int // that there are afterwards
	}{
		{"a call", "it is answered where it runs", nil, "", modern("1", "tools/call", named), 0},
		{"progress", "a timer sends what was held back", nil, "", progress(modern("1", "tools/call", named)), 0},
		{"its time is up", "a timer answers it", []mcptool.ToolOption{mcptool.Timeout(time.Second)}, "", modern("1", "tools/call", named), 0},
		{"its time is up, after progress", "both panic", []mcptool.ToolOption{mcptool.Timeout(time.Second)}, "", progress(modern("1", "tools/call", named)), 0},
		{"it may become a task", "its own goroutine answers it", []mcptool.ToolOption{mcptool.Task(mcptool.TaskSupportOptional)}, "", tasked("1", "tools/call", named), 0},
		{"it becomes a task", "who waits for it answers", []mcptool.ToolOption{mcptool.Task(mcptool.TaskSupportOptional), mcptool.PollInterval(time.Second)}, "", tasked("1", "tools/call", named), 1},
		{"it is a task", "who has read it answers", []mcptool.ToolOption{mcptool.Task(mcptool.TaskSupportRequired)}, "", tasked("1", "tools/call", named), 1},
		{
			"it is a task of 2025-11-25", "it has no end of its own",
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
					if test.name == "it may become a task" {
						srv.Limits.Tasks.Delay = time.Minute
					}
					kept := task.NewMemory(task.MemoryLimits{})
					srv.Tasks = kept
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
					if took := time.Since(began); took > time.Second && test.name == "its time is up" {
						t.Errorf("%s: it was answered after %v", test.reason, took)
					}
					time.Sleep(time.Minute)
					synctest.Wait()
					if x.ends != 1 {
						t.Errorf("%s: it was answered %d times: %s", test.reason, x.ends, x.last)
					}
					if !strings.Contains(log.String(), "broken") {
						t.Errorf("logged %s", log)
					}
					records, err := kept.List(t.Context(), task.Owner{}, "", 10)
					if err != nil || len(records) != test.tasks {
						t.Errorf("%d tasks, %v", len(records), err)
					}
					for _, r := range records {
						if !r.Status.Ended() {
							t.Errorf("a task goes on for ever: %+v", r)
						}
					}
					if err := srv.Shutdown(t.Context()); err != nil {
						t.Errorf("something still runs: %v", err)
					}
				})
			})
		}
	}
}

// brokenStore panics when a record is waited for, or changed.
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

// brokenOutbox panics at each message that has this in it.
type brokenOutbox struct {
	*recorder
	at string
}

func (b brokenOutbox) Send(msg []byte) error {
	if strings.Contains(string(msg), b.at) {
		panic("broken")
	}
	return b.recorder.Send(msg)
}

// TestBrokenOutbox: a transport may panic also at what a session says of its own accord; it closes as ever.
func TestBrokenOutbox(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, at string
		messages []string
	}{
		{"a change of tools is announced", "list_changed", []string{
			legacy("1", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tester","version":"1"}`),
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		}},
		{"a subscription is ended", `"id":"s"`, []string{modern(`"s"`, "subscriptions/listen", `,"notifications":{}`)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := serve(t, napping(t))
				log := logged(srv, slog.LevelError)
				session := srv.Open(t.Context(), brokenOutbox{newRecorder(), test.at})
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
					t.Errorf("Close returned %v, %v", err, ctx.Err())
				}
				if !strings.Contains(log.String(), "broken") {
					t.Errorf("logged %s", log)
				}
			})
		})
	}
}

// brokenTransport panics in one of the methods that a reading calls.
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
	time.Sleep(time.Millisecond / 2) // the call before has ended, if it is quick
	msg := b.messages[0]
	b.messages = b.messages[1:]
	return []byte(msg), nil
}

func (b *brokenTransport) Ready() bool {
	b.breaks("Ready")
	return len(b.messages) > 0
}

func (b *brokenTransport) Detach() { b.breaks("Detach") }

func (b *brokenTransport) Post(msg []byte) error {
	b.breaks("Post")
	return b.parcels.Post(msg)
}

func (b *brokenTransport) Flush() error {
	b.breaks("Flush")
	return b.parcels.Flush()
}

// TestBrokenReading: a transport that panics while it is read from ends the reading, not the process.
func TestBrokenReading(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"Next", "Ready", "Post", "Flush", "Detach"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := serve(t, tool(t, "nap", nap))
				log := logged(srv, slog.LevelError)
				transport := &brokenTransport{parcels: &parcels{}, at: at, messages: []string{
					legacy("1", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tester","version":"1"}`),
					`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
					napCall(2, 0), napCall(3, 0), napCall(4, 100), legacy("5", "ping", ""), // the third is run by who reads, and is slow
				}}
				session := srv.Open(t.Context(), transport)
				err := session.ReceiveFrom(transport)
				if err == nil || !strings.Contains(err.Error(), "the transport panicked: broken") {
					t.Errorf("returned %v", err)
				}
				if !strings.Contains(log.String(), "broken") {
					t.Errorf("logged %s", log)
				}
				if err := session.Close(t.Context()); err != nil {
					t.Errorf("Close returned %v", err)
				}
			})
		})
	}
}

// TestBrokenStoreOfResults: a request for the result of a task is answered also if the store panics.
func TestBrokenStoreOfResults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := taskServer(t, napping(t, mcptool.Task(mcptool.TaskSupportRequired)))
		srv.Tasks = brokenStore{Store: task.NewMemory(task.MemoryLimits{}), waits: true}
		w := open(t, srv)
		w.handshakeAble("2025-11-25")
		w.send(legacy("1", "tools/call", `"task":{},"name":"nap"`))
		id, _ := taskOf(t, w.next())
		w.send(legacy("2", "tasks/result", `"taskId":"`+id+`"`))
		answer := w.next()
		if strings.Contains(answer, "notifications/tasks/status") { // the store fails the task, too, at a time of its own
			answer = w.next()
		}
		if !strings.Contains(answer, `"id":2,"error"`) || !strings.Contains(answer, "cannot be looked up") {
			t.Errorf("answered %s", answer)
		}
		time.Sleep(time.Minute) // until the tool has ended
	})
}

// TestBrokenStore: a store that panics costs the task, and no more.
func TestBrokenStore(t *testing.T) {
	t.Parallel()
	for _, store := range []brokenStore{{waits: true}, {updates: true}} {
		synctest.Test(t, func(t *testing.T) {
			store.Store = task.NewMemory(task.MemoryLimits{})
			srv := taskServer(t, napping(t, mcptool.Task(mcptool.TaskSupportRequired), mcptool.PollInterval(time.Second)))
			srv.Tasks = store
			log := logged(srv, slog.LevelWarn)
			w := open(t, srv)
			w.send(tasked("1", "tools/call", `,"name":"nap"`))
			id, _ := taskOf(t, w.next())
			time.Sleep(time.Minute)
			if !strings.Contains(log.String(), "broken") {
				t.Errorf("logged %s", log)
			}
			if status := w.status(id); status == "working" || status == "completed" && store.updates {
				t.Errorf("the task is %s", status)
			}
			if err := srv.Shutdown(t.Context()); errors.Is(err, runtime.ErrNotStored) != store.updates {
				t.Errorf("Shutdown returned %v", err)
			}
		})
	}
}
