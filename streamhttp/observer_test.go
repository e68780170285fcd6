package streamhttp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/streamhttp"
)

type middlewareKey struct{}

// transports is an observer that records the transport of each request.
type transports struct {
	mu   sync.Mutex
	seen []string
}

func (o *transports) Begin(ctx context.Context, op *observe.Operation) context.Context {
	value, _ := ctx.Value(middlewareKey{}).(string)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = append(o.seen, strings.Replace(strings.Join([]string{op.Kind.String(), op.Method, op.Transport.String(), op.Principal, value}, " "), "  ", " ", 1))
	return context.WithValue(ctx, middlewareKey{}, value+", observed")
}

func (*transports) End(context.Context, *observe.Operation, observe.Result) {}

// TestObserver: an observer gets the context, the HTTP version and the principal of a request, with and without a
// session, and the tool gets the observer's context.
func TestObserver(t *testing.T) {
	t.Parallel()
	call := request("1", "tools/call", `"name":"where","arguments":{}`)
	for _, test := range []struct {
		name, body, version string
		major               int
		want                []string
	}{
		{"modern", modern("1", "tools/call", `,"name":"where","arguments":{}`), "2026-07-28", 2, []string{"request tools/call http/2 ann outer"}},
		{"a session", call, "2025-11-25", 1, []string{
			"request initialize http/1.1 ann outer", "session http/1.1 ann outer", "notification notifications/initialized http/1.1 ann outer", "request tools/call http/1.1 ann outer",
		}},
		{"a batch", "[" + call + "]", "2025-03-26", 3, []string{
			"request initialize http/3 ann outer", "session http/3 ann outer", "notification notifications/initialized http/3 ann outer", "request tools/call http/3 ann outer",
		}},
		{"a resumed session", call, "2025-11-25", 2, []string{
			"request initialize http/2 ann outer", "session http/2 ann outer", "notification notifications/initialized http/2 ann outer", "session http/2 ann outer", "request tools/call http/2 ann outer",
		}},
		{"no session", call, "", 1, []string{"request tools/call http/1.1 ann outer"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv, observer := fixtureServer(t, nil), new(transports)
			srv.Observer = observer
			addTool(t, srv, "where", func(ctx context.Context) string { value, _ := ctx.Value(middlewareKey{}).(string); return value })
			handler := newHandler(t, srv)
			post := func(body string, header map[string]string) *httptest.ResponseRecorder {
				ctx := context.WithValue(streamhttp.WithAccess(t.Context(), runtime.Access{Principal: "ann"}), middlewareKey{}, "outer")
				r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(body))
				r.ProtoMajor = test.major
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept", "application/json, text/event-stream")
				for name, value := range header {
					r.Header.Set(name, value)
				}
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				return w
			}
			header := map[string]string{}
			switch test.version {
			case "2026-07-28":
				header = map[string]string{"MCP-Protocol-Version": test.version, "Mcp-Method": "tools/call", "Mcp-Name": "where"}
			case "":
			default:
				begun := post(request(`"i"`, "initialize", `"protocolVersion":"`+test.version+`","capabilities":{},"clientInfo":{"name":"t","version":"1"}`), nil)
				header["Mcp-Session-Id"] = begun.Header().Get("Mcp-Session-Id")
				post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, header)
				if test.name == "a resumed session" {
					handler = newHandler(t, srv)
				}
			}
			if got := post(test.body, header).Body.String(); !strings.Contains(got, `outer, observed`) {
				t.Errorf("the tool has another context: %s", got)
			}
			observer.mu.Lock()
			defer observer.mu.Unlock()
			if diff := cmp.Diff(test.want, observer.seen); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestObserverDisconnect: in a session, a notification handler outlives its HTTP request, also with an observer, which
// gets the context of the connection.
func TestObserverDisconnect(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := fixtureServer(t, nil)
		srv.Observer = new(transports)
		began, ended := make(chan struct{}), make(chan error, 1)
		srv.Extensions = []runtime.Extension{{ID: "com.example/x", Notifications: map[string]func(context.Context, json.RawMessage){
			"notifications/x": func(ctx context.Context, _ json.RawMessage) {
				close(began)
				time.Sleep(time.Second)
				ended <- ctx.Err()
			},
		}}}
		client := serve(t, srv).begin("2025-11-25")
		ctx, leave := context.WithCancel(t.Context())
		r := client.request(ctx, http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/x","params":{}}`, map[string]string{"Mcp-Session-Id": client.id})
		go func() {
			response, err := client.client.Do(r)
			if err == nil {
				response.Body.Close()
				t.Error("got a response before the handler returned")
			}
		}()
		<-began
		leave()
		if err := <-ended; err != nil {
			t.Errorf("the handler ended: %v", err)
		}
	})
}
