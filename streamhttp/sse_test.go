package streamhttp_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/transcript"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// serveSSE starts a server with only the deprecated transport.
func serveSSE(t *testing.T, srv *runtime.Server, opts ...streamhttp.Option) *memory {
	t.Helper()
	return serveHandlerAt(t, loopback, newSSEHandler(t, srv, opts...))
}

// sseClient is a client with an open stream.
type sseClient struct {
	*memory
	*events
	endpoint string
}

// connect opens a stream.
func (m *memory) connect(ctx context.Context) sseClient {
	m.t.Helper()
	return m.connectAt(ctx, "/sse")
}

// connectAt opens a stream at a path with a query.
func (m *memory) connectAt(ctx context.Context, path string) sseClient {
	m.t.Helper()
	response := m.at(path).do(ctx, http.MethodGet, "", map[string]string{"Accept": "text/event-stream"})
	if response.status != http.StatusOK || response.header.Get("Content-Type") != "text/event-stream" {
		m.t.Fatalf("status %d, %v", response.status, response.header)
	}
	c := sseClient{m, eventsOf(response), ""}
	first, err := c.next()
	if err != nil || first.name != "endpoint" {
		m.t.Fatalf("%v: %+v", err, first)
	}
	c.endpoint = first.data
	return c
}

// post sends a message and requires status 202.
func (c sseClient) post(body string) {
	c.t.Helper()
	response := c.at(c.endpoint).do(c.t.Context(), http.MethodPost, body, nil)
	if text := bodyOf(c.t, response); response.status != http.StatusAccepted || text != "" {
		c.t.Fatalf("status %d: %s", response.status, text)
	}
}

func TestSSE(t *testing.T) {
	t.Parallel()
	t.Run("T-HSSE-01 T-HSSE-02 T-HSSE-03 T-HSSE-05", sseLife)
	t.Run("T-HSSE-04", sseStatus)
	t.Run("T-HSSE-06", func(t *testing.T) {
		if response := serve(t, fixtureServer(t, nil)).do(t.Context(), http.MethodGet, "", nil); response.status != http.StatusMethodNotAllowed {
			t.Errorf("NewHandler: stream without a session: status %d", response.status)
		}
	})
}

// sseLife follows a session from the opening of its stream to its end.
func sseLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, began, ended := waitServer(t)
		server := serveSSE(t, srv)
		ctx, leave := context.WithCancel(t.Context())
		client, other := server.connect(ctx), server.connect(t.Context())
		if path, query, _ := strings.Cut(client.endpoint, "?"); path != "/sse" || !strings.HasPrefix(query, "sessionId=") || client.endpoint == other.endpoint {
			t.Errorf("endpoints %s and %s, want different ones", client.endpoint, other.endpoint)
		}
		client.post(hello("2024-11-05"))
		if e := client.want(t, `"protocolVersion":"2024-11-05"`); e.name != "message" || e.id != "" || e.retry != "" {
			t.Errorf("%+v", e)
		}
		client.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		client.post(reporting("1", "100"))
		for _, part := range []string{`"progress":1`, `"progress":2`, `"id":1,"result":{`} {
			client.want(t, part)
		}
		other.post(hello("2024-11-05"))
		other.want(t, `"id":0`)
		other.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		addTool(t, srv, "new", func(context.Context) string { return "" })
		client.want(t, "list_changed")
		other.want(t, "list_changed")

		client.post(request("2", "tools/call", `"name":"wait"`))
		<-began
		leave()
		if cause := <-ended; !errors.Is(cause, runtime.ErrDisconnected) {
			t.Errorf("the call ended with %v", cause)
		}
		synctest.Wait()
		if response := server.at(client.endpoint).do(t.Context(), http.MethodPost, request("3", "ping", ""), nil); response.status != http.StatusNotFound {
			t.Errorf("session after its stream: status %d", response.status)
		}
		other.post(request("4", "ping", ""))
		other.want(t, `"id":4`)
	})
}

// sseStatus checks the status of refused requests.
func sseStatus(t *testing.T) {
	srv := fixtureServer(t, nil)
	srv.Limits.MaxMessageBytes = 1 << 10
	server := serveSSE(t, srv, streamhttp.Sessions(1))
	client := server.connect(t.Context())
	ping := request("1", "ping", "")
	for _, test := range []struct {
		name, method, path, body string
		header                   map[string]string
		status                   int
	}{
		{"another origin, GET", "GET", "/sse", "", map[string]string{"Origin": "https://evil.example"}, 403},
		{"another origin, POST", "POST", client.endpoint, ping, map[string]string{"Origin": "https://evil.example"}, 403},
		{"another host", "GET", "/sse", "", map[string]string{"Host": "evil.example"}, 403},
		{"no event stream accepted", "GET", "/sse", "", map[string]string{"Accept": "application/json"}, 406},
		{"too many sessions", "GET", "/sse", "", nil, 503},
		{"no session", "POST", "/sse", ping, nil, 404},
		{"another session", "POST", client.endpoint + "A", ping, nil, 404},
		{"not a JSON type", "POST", client.endpoint, ping, map[string]string{"Content-Type": "text/plain"}, 415},
		{"large message", "POST", client.endpoint, strings.Repeat(" ", 1<<10+1), nil, 413},
		{"another method", "DELETE", client.endpoint, "", nil, 405},
	} {
		if response := server.at(test.path).do(t.Context(), test.method, test.body, test.header); response.status != test.status {
			t.Errorf("%s: status %d, want %d: %s", test.name, response.status, test.status, bodyOf(t, response))
		}
	}
	client.post(ping)
	client.want(t, `"id":1`)
}

// TestSSEEndpoint: the endpoint event contains a path on the same server, derived from the request URL.
func TestSSEEndpoint(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.Handle("/tools/", http.StripPrefix("/tools", newSSEHandler(t, fixtureServer(t, nil))))
	mux.Handle("/", newSSEHandler(t, fixtureServer(t, nil)))
	server := serveHandlerAt(t, loopback, mux)
	bare := serveSSE(t, fixtureServer(t, nil))
	for _, test := range []struct {
		name   string
		server *memory
		path   string
		want   string
	}{
		{"below a prefix", server, "/tools/sse", "/tools/sse?sessionId="},
		{"with a query", server, "/sse?key=a%26b&sessionId=mine", "/sse?key=a%26b&sessionId="},
		{"with a semicolon and a flag", server, "/sse?tenant=a;b&debug&%73essionId=mine&z=1&a=%2f", "/sse?tenant=a;b&debug&z=1&a=%2f&sessionId="},
		{"with spaces and line breaks", server, "/s%20e%0a", "/s%20e%0a?sessionId="},
		{"another host", bare, "//evil.example/sse", "/evil.example/sse?sessionId="},
	} {
		response := test.server.at(test.path).do(t.Context(), http.MethodGet, "", nil)
		e, err := eventsOf(response).next()
		if id, ok := strings.CutPrefix(e.data, test.want); err != nil || !ok || len(id) != 26 {
			t.Errorf("%s: %v, %+v", test.name, err, e)
		}
	}
}

// TestSSEShutdown: running calls are still answered on the stream before it ends.
func TestSSEShutdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := serveSSE(t, fixtureServer(t, nil), streamhttp.KeepAlive(0))
		client := server.connect(t.Context())
		client.post(hello("2024-11-05"))
		client.want(t, `"id":0`)
		client.post(request("1", "tools/call", `"name":"sleep","arguments":{"ms":1000}`))
		client.post(request("2", "tools/call", `"name":"sleep","arguments":{"ms":60000}`))
		synctest.Wait()
		began := time.Now()
		server.shutdown(5 * time.Second)
		client.want(t, "slept 1000 ms")
		client.want(t, "shutting down")
		client.wantEnd(t)
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("the stream ended after %v", took)
		}
	})
}

// TestSSESlowReader: a client that does not read its stream is disconnected, and its calls are cancelled.
func TestSSESlowReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv, ended := loudServer(t)
		client := serveSSE(t, srv).connect(t.Context())
		client.post(hello("2024-11-05"))
		client.want(t, `"id":0`)
		client.post(request("1", "tools/call", `"name":"loud"`))
		time.Sleep(patience + time.Second)
		if cause := <-ended; !errors.Is(cause, runtime.ErrDisconnected) {
			t.Errorf("the call ended with %v", cause)
		}
		if response := client.at(client.endpoint).do(t.Context(), http.MethodPost, request("2", "ping", ""), nil); response.status != http.StatusNotFound {
			t.Errorf("session after the disconnect: status %d", response.status)
		}
	})
}

// TestSSETranscripts plays the engine's transcripts over the deprecated transport, which is one connection for the
// engine in every revision.
func TestSSETranscripts(t *testing.T) {
	t.Parallel()
	all, err := transcript.Load(os.DirFS("../testdata/transcripts"))
	if err != nil || len(all) == 0 {
		t.Fatalf("%d transcripts: %v", len(all), err)
	}
	for _, tr := range all {
		if tr.Name == "call/queue" {
			continue // a full queue blocks one POST, but not others
		}
		t.Run(tr.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conn := &sseConn{httpConn{messages: make(chan []byte, 1<<14)}}
				conn.memory = serveSSE(t, fixtureServer(t, tr.Server))
				stream := conn.connect(t.Context())
				conn.memory = conn.at(stream.endpoint)
				conn.open.Go(func() { conn.receive(stream.events) })
				if err := tr.Play(t.Context(), conn); err != nil {
					t.Error(err)
				}
				_ = conn.CloseSend()
				conn.open.Wait()
			})
		})
	}
}

// sseConn is a client that sends each line as a POST and receives everything on one stream.
type sseConn struct{ httpConn }

// Send implements [transcript.Conn].
func (c *sseConn) Send(line []byte) error {
	c.open.Go(func() { c.exchange(http.MethodPost, string(line), nil) })
	synctest.Wait()
	return nil
}
