package streamhttp_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

// soon is a timeout for events that should happen at once.
const soon = 30 * time.Second

// waitServer returns a server with a tool, wait, that waits for its context. It reports when the tool begins, and the
// cause of its end.
func waitServer(t *testing.T) (srv *runtime.Server, began chan struct{}, ended chan error) {
	t.Helper()
	srv, began, ended = fixtureServer(t, nil), make(chan struct{}, 1), make(chan error, 1)
	addTool(t, srv, "wait", func(ctx context.Context) string {
		began <- struct{}{}
		select {
		case <-ctx.Done():
			ended <- context.Cause(ctx)
		case <-time.After(soon):
			ended <- errors.New("timeout")
		}
		return "waited"
	})
	return srv, began, ended
}

// within receives a value, and fails after a timeout.
func within[T any](t *testing.T, c <-chan T, what string) (value T) {
	t.Helper()
	select {
	case value = <-c:
	case <-time.After(soon):
		t.Fatalf("timeout: no %s", what)
	}
	return value
}

// dialTCP starts a server on a real socket and opens a connection to it.
func dialTCP(t *testing.T, srv *runtime.Server) *net.TCPConn {
	t.Helper()
	server := httptest.NewServer(newHandler(t, srv))
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(soon)); err != nil {
		t.Fatal(err)
	}
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		t.Fatalf("net.Dial returned a %T", conn)
	}
	return tcp
}

// TestVanish: a client that disconnects during a modern call cancels it, in whatever way it disconnects (T-HTTPM-20).
func TestVanish(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		leave func(*net.TCPConn) error
	}{
		{"closed", (*net.TCPConn).Close},
		{"reset", func(c *net.TCPConn) error { return errors.Join(c.SetLinger(0), c.Close()) }},
		{"half-closed", (*net.TCPConn).CloseWrite},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv, began, ended := waitServer(t)
			conn := dialTCP(t, srv)
			if _, err := io.WriteString(conn, rawPost(modern("1", "tools/call", `,"name":"wait"`), heading("tools/call", "wait"))); err != nil {
				t.Fatal(err)
			}
			within(t, began, "call")
			if err := test.leave(conn); err != nil {
				t.Fatal(err)
			}
			if cause := within(t, ended, "end of the call"); !errors.Is(cause, runtime.ErrDisconnected) {
				t.Errorf("the call ended with %v", cause)
			}
		})
	}
}

// TestHalfClosed: a client that closes its write side during a request is answered or disconnected at once.
func TestHalfClosed(t *testing.T) {
	t.Parallel()
	whole := rawPost(modern("1", "tools/list", ""), heading("tools/list", ""))
	for _, test := range []struct{ name, text, status string }{
		{"before a request", "", ""},
		{"in the headers", whole[:50], ""},
		{"in the body", whole[:len(whole)-5], "400"},
		{"after the request", whole, "200"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			conn := dialTCP(t, fixtureServer(t, nil))
			if _, err := io.WriteString(conn, test.text); err != nil {
				t.Fatal(err)
			}
			if err := conn.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			if answer, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(answer), strings.TrimSuffix("HTTP/1.1 "+test.status, "HTTP/1.1 ")) {
				t.Errorf("%v: %s", err, answer)
			}
		})
	}
}

// TestHalfClosedDuringCall: net/http does not distinguish a half-closed connection from a closed one. A call without a
// session is cancelled; one in a session continues, and its response is lost.
func TestHalfClosedDuringCall(t *testing.T) {
	t.Parallel()
	t.Run("without a session", func(t *testing.T) {
		t.Parallel()
		srv, began, ended := waitServer(t)
		conn := dialTCP(t, srv)
		_, _ = io.WriteString(conn, rawPost(modern("1", "tools/call", `,"name":"wait"`), heading("tools/call", "wait")))
		within(t, began, "call")
		_ = conn.CloseWrite()
		if cause := within(t, ended, "end of the call"); !errors.Is(cause, runtime.ErrDisconnected) {
			t.Errorf("the call ended with %v", cause)
		}
	})
	t.Run("in a session", func(t *testing.T) {
		t.Parallel()
		srv, began, ended := waitServer(t)
		handler := newHandler(t, srv)
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		hi := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(hello("2025-06-18")))
		hi.Header.Set("Content-Type", "application/json")
		answered := httptest.NewRecorder()
		handler.ServeHTTP(answered, hi)
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		session := map[string]string{"Mcp-Session-Id": answered.Header().Get("Mcp-Session-Id")}
		_, _ = io.WriteString(conn, rawPost(request("1", "tools/call", `"name":"wait"`), session))
		within(t, began, "call")
		_ = conn.(*net.TCPConn).CloseWrite()
		if answer, _ := io.ReadAll(conn); strings.Contains(string(answer), "waited") {
			t.Errorf("got a response: %s", answer)
		}
		select {
		case cause := <-ended:
			t.Errorf("the call ended with %v", cause)
		case <-time.After(100 * time.Millisecond):
		}
		bye := httptest.NewRequest(http.MethodDelete, "http://127.0.0.1/mcp", http.NoBody)
		bye.Header.Set("Mcp-Session-Id", session["Mcp-Session-Id"])
		handler.ServeHTTP(httptest.NewRecorder(), bye)
		within(t, ended, "end of the call")
	})
}

// TestEndedRequestOfSession: a request in a session is served although its context has ended, which happens when the
// client closes its write side. A random select is covered by 20 requests.
func TestEndedRequestOfSession(t *testing.T) {
	t.Parallel()
	srv, _, _ := waitServer(t)
	handler := newHandler(t, srv)
	answer := func(ctx context.Context, body, session string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Mcp-Session-Id", session)
		answered := httptest.NewRecorder()
		handler.ServeHTTP(answered, r)
		return answered
	}
	session := answer(t.Context(), hello("2025-06-18"), "").Header().Get("Mcp-Session-Id")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		if got := answer(ended, request("1", "ping", ""), session); got.Code != http.StatusOK {
			t.Fatalf("status %d: %s", got.Code, got.Body)
		}
	}
}

// TestHTTP2 checks both response types, and that resetting a stream cancels its call but not the connection.
func TestHTTP2(t *testing.T) {
	t.Parallel()
	srv, began, ended := waitServer(t)
	server := httptest.NewUnstartedServer(newHandler(t, srv))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	post := func(ctx context.Context, body string, header map[string]string) (*http.Response, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/mcp", strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		r.Header.Set("Content-Type", "application/json")
		for name, value := range header {
			r.Header.Set(name, value)
		}
		return server.Client().Do(r)
	}

	for _, tool := range []string{"echo", "long_audio"} {
		response, err := post(t.Context(), modern("1", "tools/call", `,"name":"`+tool+`","arguments":{}`), heading("tools/call", tool))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.ProtoMajor != 2 || response.Header.Get("Content-Type") != "application/json" || !strings.HasSuffix(string(body), "}") {
			t.Errorf("%s: %v, %s, %v", tool, err, response.Proto, response.Header)
		}
	}

	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	response, err := post(ctx, modern("1", "subscriptions/listen", `,"notifications":{"toolsListChanged":true}`), heading("subscriptions/listen", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	stream := &events{lines: bufio.NewReader(response.Body)}
	stream.want(t, "acknowledged")

	brief, cut := context.WithCancel(t.Context())
	answered := make(chan error, 1)
	go func() {
		response, err := post(brief, modern("1", "tools/call", `,"name":"wait"`), heading("tools/call", "wait"))
		if err == nil {
			response.Body.Close()
		}
		answered <- err
	}()
	within(t, began, "call")
	cut()
	if err := within(t, answered, "end of the request"); !errors.Is(err, context.Canceled) {
		t.Errorf("the request ended with %v", err)
	}
	if cause := within(t, ended, "end of the call"); !errors.Is(cause, runtime.ErrDisconnected) {
		t.Errorf("the call ended with %v", cause)
	}

	addTool(t, srv, "new", func(context.Context) string { return "" })
	stream.want(t, "list_changed")
}

// TestBodyTooLarge: a body that is too large is not read to its end, regardless of how it is sent.
func TestBodyTooLarge(t *testing.T) {
	t.Parallel()
	srv := fixtureServer(t, nil)
	srv.Limits.MaxMessageBytes = 1 << 10
	for _, test := range []struct{ name, head, body, status string }{
		{"declared", "Content-Length: 1000000000000\r\n", "{", "413"},
		{"declared, not sent", "Content-Length: 1025\r\n", "", "413"},
		{"declared with Expect", "Content-Length: 1025\r\nExpect: 100-continue\r\n", "", "413"},
		{"in one chunk", "Transfer-Encoding: chunked\r\n", "401\r\n" + strings.Repeat(" ", 1<<10+1) + "\r\n0\r\n\r\n", "413"},
		{"in endless chunks", "Transfer-Encoding: chunked\r\n", strings.Repeat("1\r\n \r\n", 1<<10+1), "413"},
		{"in a huge chunk", "Transfer-Encoding: chunked\r\n", "7fffffff\r\n" + strings.Repeat(" ", 1<<10+1), "413"},
		{"at the limit", "Transfer-Encoding: chunked\r\n", "400\r\n" + strings.Repeat(" ", 1<<10) + "\r\n0\r\n\r\n", "400"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			conn := dialTCP(t, srv)
			if _, err := io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"+test.head+"\r\n"+test.body); err != nil {
				t.Fatal(err)
			}
			answer := make([]byte, 12)
			if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "HTTP/1.1 "+test.status {
				t.Errorf("%v: %s", err, answer)
			}
		})
	}
}
