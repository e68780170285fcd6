package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// recorder is a [runtime.Conn] that keeps its messages.
type recorder struct {
	enginetest.Discard
	mu    sync.Mutex
	notes []string
	last  string
	why   runtime.Disposition
	ends  int
	done  chan struct{}
}

func newRecorder() *recorder { return &recorder{done: make(chan struct{})} }

func (r *recorder) Notify(msg []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ends > 0 {
		return errors.New("after the end")
	}
	r.notes = append(r.notes, string(msg))
	return nil
}

func (r *recorder) Respond(msg []byte, end runtime.End) error {
	defer end.Wrote()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last, r.why = string(msg), end.Disposition
	if r.ends++; r.ends == 1 {
		close(r.done)
	}
	return nil
}

// stateless returns a message without a handshake.
func stateless(srv *runtime.Server, text string) *runtime.Message {
	m := srv.Read([]byte(text))
	m.Stateless = true
	return m
}

// streamServer returns a server with a tool that reports progress, one that waits for its cancellation, one that
// requires a capability, and one with an argument that is also a header.
func streamServer(t *testing.T) *runtime.Server {
	t.Helper()
	regional, err := mcptool.NewRaw("regional", json.RawMessage(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`),
		func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, tool(t, "report", func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
		mcptool.Progress(ctx, 1, 0, "")
		return &mcptool.Result{}, nil
	}), tool(t, "wait", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}), tool(t, "sample", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{}, mcptool.Require(ctx, "sampling")
	}), regional)
}

// TestServe checks the messages of one exchange in a session.
func TestServe(t *testing.T) {
	t.Parallel()
	report := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"report","_meta":{"progressToken":` + id + `}}}`
	}
	tests := []struct {
		name, version, text string
		notes               int
		last                string // part of the response; "": none
		why                 runtime.Disposition
	}{
		{"request", "2025-06-18", legacy("1", "ping", ""), 0, `"id":1,"result":{}`, runtime.Served},
		{"request with progress", "2025-06-18", report("1"), 1, `"id":1,"result":{`, runtime.Served},
		{"error", "2025-06-18", legacy("1", "tools/call", `"name":"nope"`), 0, `-32602`, runtime.Served},
		{"notification", "2025-06-18", `{"jsonrpc":"2.0","method":"x"}`, 0, ``, runtime.Served},
		{"response", "2025-06-18", `{"jsonrpc":"2.0","id":1,"result":{}}`, 0, ``, runtime.Served},
		{"invalid JSON", "2025-06-18", `{`, 0, `-32700`, runtime.Malformed},
		{"too deep", "2025-06-18", strings.Repeat("[", 300) + strings.Repeat("]", 300), 0, `nests deeper`, runtime.Malformed},
		{"invalid message", "2025-06-18", `{"id":1}`, 0, `-32600`, runtime.Malformed},
		{"unknown method", "2025-06-18", legacy("1", "nope", ""), 0, `-32601`, runtime.UnknownMethod},
		{"batch in a revision without batches", "2025-06-18", `[` + report("1") + `]`, 0, `-32600`, runtime.Malformed},
		{"batch", "2025-03-26", `[` + report("1") + `,{"jsonrpc":"2.0","method":"x"},` + report("2") + `]`, 2, `[{"jsonrpc":"2.0","id":`, runtime.Served},
		{"batch of notifications", "2025-03-26", `[{"jsonrpc":"2.0","method":"x"}]`, 0, ``, runtime.Served},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv := streamServer(t)
			w := open(t, srv)
			if got := w.session.ProtocolVersion(); got != "" {
				t.Errorf("revision %q before the handshake, want none", got)
			}
			w.handshake(test.version)
			if got := w.session.ProtocolVersion(); got != test.version {
				t.Errorf("ProtocolVersion = %q, want %s", got, test.version)
			}
			x := newRecorder()
			w.session.Serve(srv.Read([]byte(test.text)), x)
			<-x.done
			w.quiet() // nothing is sent on the connection of the session
			if len(x.notes) != test.notes || !strings.Contains(x.last, test.last) || (x.last == "") != (test.last == "") || x.why != test.why || x.ends != 1 {
				t.Errorf("got %d notifications, %d ends and disposition %d, want %d, 1 and %d: %s", len(x.notes), x.ends, x.why, test.notes, test.why, x.last)
			}
		})
	}
}

// TestServeStateless checks messages without a handshake.
func TestServeStateless(t *testing.T) {
	t.Parallel()
	region := func(name string) map[string][]string { return map[string][]string{"Mcp-Param-Region": {name}} }
	tests := []struct {
		name, text string
		header     map[string][]string
		last       string
		why        runtime.Disposition
	}{
		{"request", modern("1", "tools/list", ""), nil, `"tools":[`, runtime.Served},
		{"call", modern("1", "tools/call", `,"name":"report"`), nil, `"result"`, runtime.Served},
		{"matching header", modern("1", "tools/call", `,"name":"regional","arguments":{"region":"eu"}`), region("eu"), `"result"`, runtime.Served},
		{"header mismatch", modern("1", "tools/call", `,"name":"regional","arguments":{"region":"eu"}`), region("us"), `"error":{"code":-32020,"message":"the header Mcp-Param-Region does not match the argument"}`, runtime.Misaddressed},
		{"missing capability", modern("1", "tools/call", `,"name":"sample"`), nil, `"error":{"code":-32021,`, runtime.MissingCapability},
		{"T-HTTPM-21 unknown tool with a header", modern("1", "tools/call", `,"name":"nope","arguments":{"region":"eu"}`), region("us"), `-32602`, runtime.Served},
		{"T-HTTPM-14 no version", legacy("1", "tools/list", ""), nil, `-32602`, runtime.Misaddressed},
		{"T-VER-05 initialize", legacy("1", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}`), nil, `-32022`, runtime.Misaddressed},
		{"unknown method", modern("1", "nope", ""), nil, `-32601`, runtime.UnknownMethod},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv := streamServer(t)
			w := open(t, srv)
			x := newRecorder()
			m := stateless(srv, test.text)
			m.Header = test.header
			w.session.Serve(m, x)
			<-x.done
			if !strings.Contains(x.last, test.last) || x.why != test.why {
				t.Errorf("disposition %d, want %d: %s", x.why, test.why, x.last)
			}
		})
	}
}

// TestServeEnds: an exchange ends once, whether its request is cancelled, stopped or answered.
func TestServeEnds(t *testing.T) {
	t.Parallel()
	srv := streamServer(t)
	w := open(t, srv)
	w.handshake("2025-11-25")
	cancelled, stopped, subscribed := newRecorder(), newRecorder(), newRecorder()
	w.session.Serve(srv.Read([]byte(legacy("1", "tools/call", `"name":"wait"`))), cancelled)
	w.session.Serve(srv.Read([]byte(legacy("2", "tools/call", `"name":"wait"`))), stopped)
	w.session.Serve(srv.Read([]byte(modern("3", "subscriptions/listen", `,"notifications":{}`))), subscribed)
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	<-cancelled.done
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := w.session.Close(ctx); err == nil {
		t.Error("Close = nil, want an error about the cancelled call")
	}
	<-stopped.done
	<-subscribed.done
	w.quiet() // the end of the stream replaces notifications/cancelled
	for _, test := range []struct {
		x    *recorder
		last string
	}{{cancelled, ``}, {stopped, `shutting down`}, {subscribed, `"resultType":"complete"`}} {
		if test.x.ends != 1 || !strings.Contains(test.x.last, test.last) {
			t.Errorf("got %d ends, want 1: %s, want %s", test.x.ends, test.x.last, test.last)
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	type look struct {
		kind                         runtime.MessageKind
		id, method, version, subject string
		hasSubject, named            bool
	}
	tests := []struct {
		name, text string
		want       look
	}{
		{"request", `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"\u0078","uri":"file:///y"}}`, look{runtime.Request, `"a"`, "tools/call", "", "x", true, false}},
		{"resource", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"name":"x","uri":"file:///y"}}`, look{runtime.Request, `1`, "resources/read", "", "file:///y", true, false}},
		{"invalid resource", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":1}}`, look{runtime.Request, `1`, "resources/read", "", "", true, false}},
		{"modern", `{"jsonrpc":"2.0","id":7,"method":"m","params":{"uri":1,"_meta":{"io.modelcontextprotocol/protocolVersion":"v"}}}`, look{runtime.Request, `7`, "m", "v", "", false, true}},
		{"invalid version", `{"jsonrpc":"2.0","id":7,"method":"m","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":1}}}`, look{runtime.Request, `7`, "m", "", "", false, true}},
		{"notification", `{"jsonrpc":"2.0","method":"n"}`, look{runtime.Notification, "", "n", "", "", false, false}},
		{"response", `{"jsonrpc":"2.0","id":1,"result":{}}`, look{runtime.Response, "1", "", "", "", false, false}},
		{"batch", `[]`, look{runtime.Batch, "", "", "", "", false, false}},
		{"invalid JSON", `[`, look{runtime.Unreadable, "", "", "", "", false, false}},
		{"invalid message", `{"id":1}`, look{runtime.Unreadable, "1", "", "", "", false, false}},
		{"too large", `"` + strings.Repeat("x", 1<<10) + `"`, look{runtime.Unreadable, "", "", "", "", false, false}},
	}
	srv := &runtime.Server{Limits: runtime.Limits{MaxMessageBytes: 1 << 10}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := srv.Read([]byte(test.text))
			got := look{kind: m.Kind, id: string(m.ID()), method: m.Method()}
			got.subject, got.hasSubject = runtime.Subject(m)
			got.version, got.named = m.ProtocolVersion()
			if got != test.want {
				t.Errorf("got %+v\nwant %+v", got, test.want)
			}
		})
	}
}

// TestServeApart: messages that are served concurrently have separate streams.
func TestServeApart(t *testing.T) {
	t.Parallel()
	srv := streamServer(t)
	w := open(t, srv)
	w.handshake("2025-11-25")
	var all []*recorder
	for _, id := range []string{"1", "2", "3", "4"} {
		x := newRecorder()
		all = append(all, x)
		w.session.Serve(srv.Read([]byte(`{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"report","_meta":{"progressToken":`+id+`}}}`)), x)
	}
	for i, x := range all {
		<-x.done
		id := string(rune('1' + i))
		if !strings.Contains(x.last, `"id":`+id) || len(x.notes) != 1 || !slices.ContainsFunc(x.notes, func(n string) bool { return strings.Contains(n, `"progressToken":`+id) }) {
			t.Errorf("stream %s got %q and %s", id, x.notes, x.last)
		}
	}
	w.quiet()
}
