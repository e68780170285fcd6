package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestEndpoint: Answer returns when its message is answered.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	srv := serve(t, tool(t, "echo", echo), tool(t, "exit", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		goruntime.Goexit()
		return &mcptool.Result{}, nil
	}), tool(t, "report", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		mcptool.Progress(ctx, 1, 0, "")
		return &mcptool.Result{}, nil
	}))
	endpoint := srv.Endpoint(t.Context())
	for _, test := range []struct {
		name, text string
		notes      int
		last       string
	}{
		{"call", modern("1", "tools/call", `,"name":"echo","arguments":{"a":1}`), 0, `"structuredContent":{"a":1}`},
		{"call with progress", strings.Replace(modern("1", "tools/call", `,"name":"report"`), `"_meta":{`, `"_meta":{"progressToken":1,`, 1), 1, `"result"`},
		{"call of runtime.Goexit", modern("1", "tools/call", `,"name":"exit"`), 0, "reference"},
		{"list", modern("1", "tools/list", ""), 0, `"tools":[`},
		{"subscription", modern("1", "subscriptions/listen", `,"notifications":{}`), 0, `"error":{"code":-32603`},
		{"unknown tool", modern("1", "tools/call", `,"name":"nope"`), 0, `-32602`},
		{"invalid JSON", `{`, 0, `-32700`},
		{"batch", `[` + modern("1", "tools/list", "") + `]`, 0, `-32600`},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, 0, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			x := newRecorder()
			done := make(chan struct{})
			go func() {
				defer close(done)
				endpoint.Answer(t.Context(), srv.Read([]byte(test.text)), x)
			}()
			<-done
			if x.ends != 1 || len(x.notes) != test.notes || !strings.Contains(x.last, test.last) {
				t.Errorf("got %d ends and %d notifications, want 1 and %d: %s", x.ends, len(x.notes), test.notes, x.last)
			}
		})
	}
}

// TestEndpointCancels: the context of a call has the cause of its end, whether the tool waits for Done or
// polls Err.
func TestEndpointCancels(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		stop func(client, closing context.CancelFunc)
		want error
	}{
		{"client disconnects", func(client, _ context.CancelFunc) { client() }, runtime.ErrDisconnected},
		{"shutdown", func(_, closing context.CancelFunc) { closing() }, runtime.ErrShutdown},
	} {
		for name, wait := range map[string]func(context.Context){
			"waits": func(ctx context.Context) { <-ctx.Done() },
			"looks": func(ctx context.Context) {
				for ctx.Err() == nil {
					time.Sleep(time.Millisecond)
				}
			},
		} {
			t.Run(test.name+", tool "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					var cause error
					srv := serve(t, tool(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
						wait(ctx)
						cause = context.Cause(ctx)
						return nil, ctx.Err()
					}))
					closing, end := context.WithCancel(t.Context())
					defer end()
					client, leave := context.WithCancel(t.Context())
					defer leave()
					time.AfterFunc(time.Second, func() { test.stop(leave, end) })
					x := newRecorder()
					srv.Endpoint(closing).Answer(client, srv.Read([]byte(modern("1", "tools/call", `,"name":"x"`))), x)
					if !errors.Is(cause, test.want) || !strings.Contains(x.last, test.want.Error()) {
						t.Errorf("Cause = %v, answer %s; want %v", cause, x.last, test.want)
					}
				})
			})
		}
	}
}

// TestEndpointRevision: a legacy message is answered without a session, in its revision, if the server supports that.
func TestEndpointRevision(t *testing.T) {
	t.Parallel()
	srv := fixtureServer(t, map[string]string{"revisions": "2025-03-26,2025-11-25,2026-07-28"})
	endpoint := srv.Endpoint(t.Context())
	list, batch := legacy("1", "tools/list", ""), `[`+legacy("1", "ping", "")+`]`
	for _, test := range []struct {
		name, text, revision string
		want                 string
		why                  runtime.Disposition
	}{
		{"newest", list, "2025-11-25", `"icons":[`, runtime.Served},
		{"oldest", list, "2025-03-26", `"tools":[`, runtime.Served},
		{"no revision", list, "", `"error":{"code":-32602`, runtime.Misaddressed},
		{"unsupported", list, "2025-06-18", `"error":{"code":-32602`, runtime.Misaddressed},
		{"modern without _meta", list, "2026-07-28", `"error":{"code":-32602`, runtime.Misaddressed},
		{"batch", batch, "2025-03-26", `[{"jsonrpc":"2.0","id":1,"result":{}}]`, runtime.Served},
		{"batch in a revision without batches", batch, "2025-11-25", `"error":{"code":-32600`, runtime.Malformed},
		{"revision in _meta", modern("1", "tools/list", ""), "2025-03-26", `"resultType"`, runtime.Served},
		{"modern method", legacy("1", "server/discover", ""), "2025-11-25", `"error":{"code":-32602`, runtime.Misaddressed},
	} {
		x := newRecorder()
		m := srv.Read([]byte(test.text))
		m.Revision = test.revision
		endpoint.Answer(t.Context(), m, x)
		if x.why != test.why || !strings.Contains(x.last, test.want) {
			t.Errorf("%s: disposition %d, want %d: got %s, want %s", test.name, x.why, test.why, x.last, test.want)
		}
	}
}

// asking is the writer of another framework's server, which sends client requests by calling ask.
type asking struct {
	*recorder
	ask func(ctx context.Context, request []byte) (json.RawMessage, error)
}

func (x asking) Ask(ctx context.Context, request []byte) (json.RawMessage, error) {
	return x.ask(ctx, request)
}

// TestEndpointPeer: a call of a client whose handshake another server has performed has the client's info, and can ask it.
func TestEndpointPeer(t *testing.T) {
	t.Parallel()
	type seat struct {
		Class string `json:"class" jsonschema:"enum=1,enum=2"`
	}
	for _, test := range []struct {
		name string
		ask  func(ctx context.Context, request []byte) (json.RawMessage, error) // nil: the exchange cannot ask
		want string
	}{
		{"answered", func(context.Context, []byte) (json.RawMessage, error) {
			return json.RawMessage(`{"action":"accept","content":{"class":"2"}}`), nil
		}, `probe 2025-06-18 got 2`},
		{"declined", func(context.Context, []byte) (json.RawMessage, error) {
			return json.RawMessage(`{"action":"decline"}`), nil
		}, "the user declined"},
		{"error of the host", func(context.Context, []byte) (json.RawMessage, error) { return nil, mcptool.Errorf("no route") }, "no route"},
		{"no answer in time", func(ctx context.Context, _ []byte) (json.RawMessage, error) { <-ctx.Done(); return nil, ctx.Err() }, mcptool.ErrNoAnswer.Error()},
		{"host cannot ask", nil, "cannot be reached"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := serve(t, tool(t, "book", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
					mcptool.Logger(ctx).Warn("asks")
					mcptool.Logger(ctx).Info("asks")
					s, err := mcptool.Elicit[seat](ctx, "Which seat?")
					if err != nil {
						return nil, err
					}
					info := mcptool.Caller(ctx)
					return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: info.Client.Name + " " + info.ProtocolVersion + " got " + s.Class}}}, nil
				}))
				srv.ClientLog = runtime.ClientLogAll
				m := srv.Read([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"book","arguments":{}}}`))
				m.Revision = "2025-06-18"
				m.Peer = &engine.Peer{Name: "probe", Capabilities: json.RawMessage(`{"elicitation":{}}`), LogLevel: "warning"}
				x := newRecorder()
				var request string
				if test.ask == nil {
					srv.Endpoint(t.Context()).Answer(t.Context(), m, x)
				} else {
					srv.Endpoint(t.Context()).Answer(t.Context(), m, asking{x, func(ctx context.Context, q []byte) (json.RawMessage, error) {
						request = string(q)
						return test.ask(ctx, q)
					}})
				}
				if !strings.Contains(x.last, test.want) {
					t.Errorf("got %s, want %q", x.last, test.want)
				}
				if test.ask != nil && !strings.HasPrefix(request, `{"method":"elicitation/create","params":{`) {
					t.Errorf("client request = %s, want elicitation/create", request)
				}
				if len(x.notes) != 1 || !strings.Contains(x.notes[0], `"level":"warning"`) {
					t.Errorf("log notifications = %q, want only the warning", x.notes)
				}
			})
		})
	}
}

// TestEndpointPeerCancelled: the end of a call cancels its client request.
func TestEndpointPeerCancelled(t *testing.T) {
	t.Parallel()
	srv := serve(t, tool(t, "book", func(context.Context, json.RawMessage) (*mcptool.Result, error) { return nil, nil }), tool(t, "confirm",
		func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			return nil, mcptool.Confirm(context.WithoutCancel(ctx), "Go on?")
		}))
	ctx, cancel := context.WithCancel(t.Context())
	m := srv.Read([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"confirm","arguments":{}}}`))
	m.Revision, m.Peer = "2025-11-25", &engine.Peer{Capabilities: json.RawMessage(`{"elicitation":{}}`)}
	var asked error
	srv.Endpoint(t.Context()).Answer(ctx, m, asking{newRecorder(), func(ctx context.Context, _ []byte) (json.RawMessage, error) {
		cancel()
		<-ctx.Done()
		asked = ctx.Err()
		return nil, ctx.Err()
	}})
	if asked == nil {
		t.Error("the client request was not cancelled")
	}
}
