package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
)

// wire is an in-memory connection: messages are passed as strings, and messages of the
// session are sent to a channel.
type wire struct {
	enginetest.Discard
	t       *testing.T
	session runtime.Session
	out     chan string
}

// open opens a session and closes it when the test ends.
func open(t *testing.T, srv *runtime.Server) *wire {
	t.Helper()
	w := &wire{t: t, out: make(chan string, 1<<14)}
	w.session = srv.Open(t.Context(), w)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = w.session.Close(ctx)
	})
	return w
}

// Notify implements [runtime.Writer].
func (w *wire) Notify(msg []byte) error {
	if !json.Valid(msg) || bytes.ContainsAny(msg, "\r\n") {
		w.t.Errorf("sent %q, which is not one line of JSON", msg)
	}
	w.out <- string(msg)
	return nil
}

// Respond implements [runtime.Writer].
func (w *wire) Respond(msg []byte, end runtime.End) error {
	return enginetest.Respond(w.Notify, msg, end)
}

// send sends messages to the session.
func (w *wire) send(msgs ...string) {
	w.t.Helper()
	for _, msg := range msgs {
		w.session.Receive([]byte(msg))
	}
}

// next returns the next message of the session.
func (w *wire) next() string {
	w.t.Helper()
	select {
	case msg := <-w.out:
		return msg
	case <-time.After(time.Minute): // long results take seconds under the race detector
		w.t.Fatal("no message within a minute")
		return ""
	}
}

// want checks that the next message contains all parts.
func (w *wire) want(parts ...string) string {
	w.t.Helper()
	msg := w.next()
	for _, part := range parts {
		if !strings.Contains(msg, part) {
			w.t.Errorf("got  %s\nwant %s", msg, part)
		}
	}
	return msg
}

// quiet checks that no message is left.
func (w *wire) quiet() {
	w.t.Helper()
	select {
	case msg := <-w.out:
		w.t.Errorf("unexpected message: %s", msg)
	default:
	}
}

// handshake initializes a session of the given revision.
func (w *wire) handshake(version string) {
	w.t.Helper()
	w.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + version +
		`","capabilities":{},"clientInfo":{"name":"tester","version":"1"}}}`)
	w.want(`"protocolVersion":"` + version + `"`)
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// modern returns a request of revision 2026-07-28; params are further members and begin with a comma.
func modern(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{}}` + params + `}}`
}

// legacy returns a request without _meta.
func legacy(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + `}}`
}

// tool returns a tool that accepts any object.
func tool(t *testing.T, name string, fn func(context.Context, json.RawMessage) (*mcptool.Result, error), opts ...mcptool.ToolOption) *mcptool.Tool {
	t.Helper()
	made, err := mcptool.NewRaw(name, json.RawMessage(`{"type":"object"}`), fn, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// serve returns a server with only these tools.
func serve(tb testing.TB, tools ...*mcptool.Tool) *runtime.Server {
	tb.Helper()
	registry := &mcptool.Registry{}
	if err := registry.Add(mcptool.Tools(tools)); err != nil {
		tb.Fatal(err)
	}
	return &runtime.Server{Name: "test", Version: "1", Tools: registry, Tasks: tasks.New(nil), Logger: slog.New(slog.DiscardHandler)}
}

// echo returns its arguments as a structured result.
func echo(_ context.Context, args json.RawMessage) (*mcptool.Result, error) {
	return &mcptool.Result{Structured: args}, nil
}
