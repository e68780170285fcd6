package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// recorder is an [runtime.Exchange] that keeps what it is given.
type recorder struct {
	mu    sync.Mutex
	notes []string
	last  string
	why   runtime.Disposition
	ends  int
	done  chan struct{}
}

func newRecorder() *recorder { return &recorder{done: make(chan struct{})} }

func (r *recorder) Send(msg []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ends > 0 {
		return errors.New("after the end")
	}
	r.notes = append(r.notes, string(msg))
	return nil
}

func (r *recorder) End(msg []byte, why runtime.Disposition) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last, r.why = string(msg), why
	if r.ends++; r.ends == 1 {
		close(r.done)
	}
}

// stateless returns a message that no handshake precedes.
func stateless(srv *runtime.Server, text string) *runtime.Message {
	m := srv.Read([]byte(text))
	m.Stateless = true
	return m
}

// streamServer has a tool that reports progress, one that waits to be cancelled, one that
// needs a capability, and one with an argument that clients also send as a header.
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

// TestServe checks what one message brings about, on a stream of its own.
func TestServe(t *testing.T) {
	t.Parallel()
	report := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"report","_meta":{"progressToken":` + id + `}}}`
	}
	tests := []struct {
		name, version, text string
		notes               int
		last                string // part of it; "" for no response
		why                 runtime.Disposition
	}{
		{"a request", "2025-06-18", legacy("1", "ping", ""), 0, `"id":1,"result":{}`, runtime.Served},
		{"a request with progress", "2025-06-18", report("1"), 1, `"id":1,"result":{`, runtime.Served},
		{"an error of a method", "2025-06-18", legacy("1", "tools/call", `"name":"nope"`), 0, `-32602`, runtime.Served},
		{"a notification", "2025-06-18", `{"jsonrpc":"2.0","method":"x"}`, 0, ``, runtime.Served},
		{"a response", "2025-06-18", `{"jsonrpc":"2.0","id":1,"result":{}}`, 0, ``, runtime.Served},
		{"no JSON", "2025-06-18", `{`, 0, `-32700`, runtime.Malformed},
		{"too deep", "2025-06-18", strings.Repeat("[", 300) + strings.Repeat("]", 300), 0, `nests deeper`, runtime.Malformed},
		{"no message", "2025-06-18", `{"id":1}`, 0, `-32600`, runtime.Malformed},
		{"an unknown method", "2025-06-18", legacy("1", "nope", ""), 0, `-32601`, runtime.UnknownMethod},
		{"a batch where there are none", "2025-06-18", `[` + report("1") + `]`, 0, `-32600`, runtime.Malformed},
		{"a batch", "2025-03-26", `[` + report("1") + `,{"jsonrpc":"2.0","method":"x"},` + report("2") + `]`, 2, `[{"jsonrpc":"2.0","id":`, runtime.Served},
		{"a batch that wants no answer", "2025-03-26", `[{"jsonrpc":"2.0","method":"x"}]`, 0, ``, runtime.Served},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv := streamServer(t)
			w := open(t, srv)
			if got := w.session.ProtocolVersion(); got != "" {
				t.Errorf("revision %q before the handshake", got)
			}
			w.handshake(test.version)
			if got := w.session.ProtocolVersion(); got != test.version {
				t.Errorf("revision %q, want %s", got, test.version)
			}
			x := newRecorder()
			w.session.Serve(srv.Read([]byte(test.text)), x)
			<-x.done
			w.quiet() // nothing goes to the session's own outbox
			if len(x.notes) != test.notes || !strings.Contains(x.last, test.last) || (x.last == "") != (test.last == "") || x.why != test.why || x.ends != 1 {
				t.Errorf("%d notes, %d ends, the last with %d: %s", len(x.notes), x.ends, x.why, x.last)
			}
		})
	}
}

// TestServeStateless checks what holds for messages that stand for themselves.
func TestServeStateless(t *testing.T) {
	t.Parallel()
	region := func(name string) map[string][]string { return map[string][]string{"Mcp-Param-Region": {name}} }
	tests := []struct {
		name, text string
		header     map[string][]string
		last       string
		why        runtime.Disposition
	}{
		{"a request", modern("1", "tools/list", ""), nil, `"tools":[`, runtime.Served},
		{"a call", modern("1", "tools/call", `,"name":"report"`), nil, `"result"`, runtime.Served},
		{"a call that matches its headers", modern("1", "tools/call", `,"name":"regional","arguments":{"region":"eu"}`), region("eu"), `"result"`, runtime.Served},
		{"a call that does not match its headers", modern("1", "tools/call", `,"name":"regional","arguments":{"region":"eu"}`), region("us"), `"error":{"code":-32020,"message":"the header Mcp-Param-Region does not match the argument"}`, runtime.Misaddressed},
		{"a call that takes more than was declared", modern("1", "tools/call", `,"name":"sample"`), nil, `"error":{"code":-32021,`, runtime.MissingCapability},
		{"T-HTTPM-21 no tool comes before headers", modern("1", "tools/call", `,"name":"nope","arguments":{"region":"eu"}`), region("us"), `-32602`, runtime.Served},
		{"T-HTTPM-14 no version", legacy("1", "tools/list", ""), nil, `-32602`, runtime.Misaddressed},
		{"T-VER-05 there is no handshake", legacy("1", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}`), nil, `-32022`, runtime.Misaddressed},
		{"an unknown method", modern("1", "nope", ""), nil, `-32601`, runtime.UnknownMethod},
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
				t.Errorf("refusal %d: %s", x.why, x.last)
			}
		})
	}
}

// TestServeEnds checks that an exchange ends once, however its request does.
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
		t.Error("no call was cancelled")
	}
	<-stopped.done
	<-subscribed.done
	w.quiet() // no notifications/cancelled where the end of the stream says it
	for _, test := range []struct {
		x    *recorder
		last string
	}{{cancelled, ``}, {stopped, `shutting down`}, {subscribed, `"resultType":"complete"`}} {
		if test.x.ends != 1 || !strings.Contains(test.x.last, test.last) {
			t.Errorf("%d ends: %s", test.x.ends, test.x.last)
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
		{"a request", `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"\u0078","uri":"file:///y"}}`, look{runtime.Request, `"a"`, "tools/call", "", "x", true, false}},
		{"one about a resource", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"name":"x","uri":"file:///y"}}`, look{runtime.Request, `1`, "resources/read", "", "file:///y", true, false}},
		{"one about a resource that is no string", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":1}}`, look{runtime.Request, `1`, "resources/read", "", "", true, false}},
		{"a modern one", `{"jsonrpc":"2.0","id":7,"method":"m","params":{"uri":1,"_meta":{"io.modelcontextprotocol/protocolVersion":"v"}}}`, look{runtime.Request, `7`, "m", "v", "", false, true}},
		{"one whose version is no string", `{"jsonrpc":"2.0","id":7,"method":"m","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":1}}}`, look{runtime.Request, `7`, "m", "", "", false, true}},
		{"a notification", `{"jsonrpc":"2.0","method":"n"}`, look{runtime.Notification, "", "n", "", "", false, false}},
		{"a response", `{"jsonrpc":"2.0","id":1,"result":{}}`, look{runtime.Response, "1", "", "", "", false, false}},
		{"a batch", `[]`, look{runtime.Batch, "", "", "", "", false, false}},
		{"no JSON", `[`, look{runtime.Unreadable, "", "", "", "", false, false}},
		{"no message", `{"id":1}`, look{runtime.Unreadable, "1", "", "", "", false, false}},
		{"too large", `"` + strings.Repeat("x", 1<<10) + `"`, look{runtime.Unreadable, "", "", "", "", false, false}},
	}
	srv := &runtime.Server{Limits: runtime.Limits{MaxMessageBytes: 1 << 10}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := srv.Read([]byte(test.text))
			got := look{kind: m.Kind(), id: string(m.ID()), method: m.Method()}
			got.subject, got.hasSubject = runtime.Subject(m)
			got.version, got.named = m.ProtocolVersion()
			if got != test.want {
				t.Errorf("got %+v\nwant %+v", got, test.want)
			}
		})
	}
}

// TestServeApart checks that messages served at once do not share a stream.
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
