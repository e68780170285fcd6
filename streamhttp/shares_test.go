package streamhttp_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// share is the number of bytes that messages of one caller may hold in these tests: a quarter of the total.
const share = 1 << 20

// serveCallers starts a server that takes the principal from the Caller header and allows each caller share bytes.
func serveCallers(t *testing.T, srv *runtime.Server, opts ...streamhttp.Option) *memory {
	t.Helper()
	srv.Limits.MaxMessageBytes, srv.Limits.MaxMemoryBytes = share, 4*share
	h := newHandler(t, srv, opts...)
	return serveHandlerAt(t, loopback, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Abort") != "" {
			r.Body = abortedBody{r.Body}
		}
		h.ServeHTTP(w, r.WithContext(streamhttp.WithAccess(r.Context(), runtime.Access{Principal: r.Header.Get("Caller")})))
	}))
}

// abortedBody is a body that aborts the handler when read.
type abortedBody struct{ io.ReadCloser }

func (abortedBody) Read([]byte) (int, error) { panic(http.ErrAbortHandler) }

// unfinished opens a connection, declares a body of size bytes, and sends all but one of them.
func (m *memory) unfinished(caller string, size int) io.ReadWriteCloser {
	m.t.Helper()
	return m.partial(caller, size, size-1)
}

// partial opens a connection, declares a body of size bytes, and sends the first sent bytes.
func (m *memory) partial(caller string, size, sent int) io.ReadWriteCloser {
	m.t.Helper()
	conn := m.raw("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nCaller: " + caller + "\r\nContent-Length: " + strconv.Itoa(size) + "\r\n\r\n")
	go func() { _, _ = io.WriteString(conn, strings.Repeat(" ", sent)) }() // it fails if the body is refused
	synctest.Wait()
	return conn
}

// echoAs calls a tool with a body of size bytes, or the minimum if that is more, and returns the status.
func (m *memory) echoAs(caller string, size int) int {
	m.t.Helper()
	body := modern("1", "tools/call", `,"name":"echo","arguments":{}`)
	body += strings.Repeat(" ", max(size-len(body), 0))
	response := m.do(m.t.Context(), http.MethodPost, body, heading("tools/call", "echo", "Caller", caller))
	if text := bodyOf(m.t, response); response.status == http.StatusOK && !strings.Contains(text, `"resultType":"complete"`) {
		m.t.Errorf("response: %s", text)
	}
	if retry := response.header.Get("Retry-After"); (retry != "") != (response.status == http.StatusServiceUnavailable) {
		m.t.Errorf("status %d, Retry-After %q", response.status, retry)
	}
	return response.status
}

// TestUnsentBodies: declared but unsent bodies do not count.
func TestUnsentBodies(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := serveCallers(t, fixtureServer(t, nil))
		for range 33 {
			defer m.partial("ann", share, 1).Close()
		}
		if status := m.echoAs("ann", share); status != http.StatusOK {
			t.Errorf("status %d, want 200", status)
		}
	})
}

// TestUnfinishedBodies: the received part of incomplete bodies counts against the caller's share. Beyond it, the
// caller's requests are refused; others are served.
func TestUnfinishedBodies(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := serveCallers(t, fixtureServer(t, nil))
		held := []io.Closer{m.unfinished("ann", share/2), m.unfinished("ann", share/2)}
		began := time.Now()
		refused := m.unfinished("ann", 16<<10)
		response, err := http.ReadResponse(bufio.NewReader(refused), nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		refused.Close()
		if err != nil || response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") != "1" ||
			!strings.Contains(string(text), "its messages may hold 1.0 MiB of memory at once") || time.Since(began) != 0 {
			t.Errorf("after %v: %v, status %d, %s", time.Since(began), err, response.StatusCode, text)
		}
		if status := m.echoAs("bob", share); status != http.StatusOK {
			t.Errorf("bob gets status %d, want 200", status)
		}
		for _, caller := range []string{"bob", "cat", "dan"} {
			held = append(held, m.unfinished(caller, share))
		}
		if status := m.echoAs("eve", share/2); status != http.StatusServiceUnavailable {
			t.Errorf("with all memory in use: eve gets status %d, want 503", status)
		}
		if status := m.echoAs("ann", 0); status != http.StatusOK {
			t.Errorf("small message: status %d, want 200", status)
		}
		for _, conn := range held {
			conn.Close()
		}
		synctest.Wait()
		for _, caller := range []string{"ann", "bob", "eve"} {
			if status := m.echoAs(caller, share); status != http.StatusOK {
				t.Errorf("after release: %s gets status %d, want 200", caller, status)
			}
		}
	})
}

// TestChunkedBodies: a body of undeclared length counts as it grows, and is refused once the share is used up.
func TestChunkedBodies(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := serveCallers(t, fixtureServer(t, nil))
		body := modern("1", "tools/call", `,"name":"echo","arguments":{}`) + strings.Repeat(" ", share/2)
		send := func() int {
			r := m.request(t.Context(), http.MethodPost, body, heading("tools/call", "echo", "Caller", "ann"))
			r.ContentLength = -1
			response, err := m.client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			return response.StatusCode
		}
		for range 3 {
			if status := send(); status != http.StatusOK {
				t.Errorf("status %d within the share", status)
			}
		}
		conn := m.unfinished("ann", share/2)
		if status := send(); status != http.StatusServiceUnavailable {
			t.Errorf("beyond the share: status %d", status)
		}
		conn.Close()
		synctest.Wait()
		if status := m.echoAs("ann", share); status != http.StatusOK {
			t.Errorf("after release: status %d", status)
		}
	})
}

// TestMemoryIsGivenBack: when a request ends, in whatever way, its caller gets back the whole share.
func TestMemoryIsGivenBack(t *testing.T) {
	t.Parallel()
	call := func(tool, arguments string) string {
		return modern("1", "tools/call", `,"name":"`+tool+`","arguments":`+arguments)
	}
	spaces := strings.Repeat(" ", share/2)
	large := `{"text":"` + strings.Repeat("x", share/2) + `"}`
	for _, test := range []struct {
		name, body string
		header     map[string]string
		leave      time.Duration // when the client disconnects; 0 means never
		inSession  bool
		held       time.Duration // how long the memory is in use
	}{
		{name: "invalid JSON", body: `{"a"`},
		{name: "the wrong type", body: "x", header: map[string]string{"Content-Type": "text/plain"}},
		{name: "too large", body: strings.Repeat("x", share+1)},
		{name: "unknown session", body: request("1", "ping", ""), header: map[string]string{"Mcp-Session-Id": "x"}},
		{name: "headers that do not match", body: call("echo", large), header: heading("tools/call", "other")},
		{name: "call", body: call("echo", large), header: heading("tools/call", "echo")},
		{name: "abandoned call", body: call("sleep", `{"ms":60000}`) + spaces, header: heading("tools/call", "sleep"), leave: time.Second, held: time.Second},
		{name: "call in a session", body: request("1", "tools/call", `"name":"echo","arguments":`+large), inSession: true},
		{name: "abandoned call in a session", body: request("1", "tools/call", `"name":"sleep","arguments":{"ms":60000}`) + spaces, inSession: true, leave: time.Second, held: time.Minute},
		{name: "a panic", body: call("panic", "{}") + spaces, header: heading("tools/call", "panic")},
		{name: "aborted handler", body: call("echo", large), header: heading("tools/call", "echo", "Abort", "yes")},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := fixtureServer(t, nil)
				addTool(t, srv, "panic", func(context.Context) string { panic("on purpose") })
				m := serveCallers(t, srv)
				header := map[string]string{"Caller": "ann"}
				for name, value := range test.header {
					header[name] = value
				}
				if test.inSession {
					response := m.do(t.Context(), http.MethodPost, hello("2025-11-25"), header)
					bodyOf(t, response)
					header["Mcp-Session-Id"] = response.header.Get("Mcp-Session-Id")
				}
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				if test.leave > 0 {
					time.AfterFunc(test.leave, leave)
				}
				began := time.Now()
				if response, err := m.client.Do(m.request(ctx, http.MethodPost, test.body, header)); err == nil {
					_, _ = io.Copy(io.Discard, response.Body)
					response.Body.Close()
				}
				synctest.Wait() // the server may not have noticed the disconnect yet
				for m.echoAs("ann", share) != http.StatusOK {
					if time.Since(began) > time.Hour {
						t.Fatal("the memory is not released")
					}
					time.Sleep(time.Second)
					synctest.Wait() // let everything at this instant happen first
				}
				if held := time.Since(began); held != test.held {
					t.Errorf("the memory was released after %v, want %v", held, test.held)
				}
			})
		})
	}
}

// TestReplayIsShared: events kept for the sessions of a caller leave room for its messages, and are released with the
// sessions.
func TestReplayIsShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := fixtureServer(t, nil)
		addTool(t, srv, "loud", func(ctx context.Context) string { return strings.Repeat("x", 100<<10) })
		m := serveCallers(t, srv, streamhttp.SessionIdle(time.Minute))
		const sessions = 20
		var last map[string]string
		var lastEvent string
		for range sessions { // 2 MB of responses in total
			header := map[string]string{"Caller": "ann"}
			response := m.do(t.Context(), http.MethodPost, hello("2025-11-25"), header)
			bodyOf(t, response)
			last = map[string]string{"Caller": "ann", "Mcp-Session-Id": response.header.Get("Mcp-Session-Id"), "Accept": "text/event-stream"}
			answer := m.do(t.Context(), http.MethodPost, request("1", "tools/call", `"name":"loud","arguments":{}`), last)
			stream := eventsOf(answer)
			lastEvent = stream.want(t, "").id
			stream.want(t, "xxx") // the response is sent whether or not it is kept
			stream.wantEnd(t)
		}
		if status := m.echoAs("ann", share/2-10<<10); status != http.StatusOK {
			t.Errorf("within the rest of the share: status %d, want 200", status)
		}
		if status := m.echoAs("ann", share*3/4); status != http.StatusServiceUnavailable {
			t.Errorf("beyond the rest of the share: status %d, want 503", status)
		}
		last["Last-Event-ID"] = lastEvent
		if again := m.do(t.Context(), http.MethodGet, "", last); again.status != http.StatusBadRequest && again.status != http.StatusNoContent {
			t.Errorf("resuming a response that did not fit: status %d, want 400 or 204", again.status)
		}
		time.Sleep(2 * time.Minute) // the sessions end
		if status := m.echoAs("ann", share); status != http.StatusOK {
			t.Errorf("after the sessions expired: status %d, want 200", status)
		}
	})
}

// TestShareOfSessions: a caller at its limit loses its least recently used session without an open request. Sessions of
// other callers are not affected.
func TestShareOfSessions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := fixtureServer(t, nil)
		resumed := countResumptions(srv)
		server := serveCallers(t, srv, streamhttp.Sessions(18), streamhttp.KeepAlive(0))
		begin := func(caller string) (id string, response answer) {
			response = server.do(t.Context(), http.MethodPost, hello("2025-11-25"), map[string]string{"Caller": caller})
			time.Sleep(time.Second)
			return response.header.Get("Mcp-Session-Id"), response
		}
		ping := func(caller, id string) int {
			return server.do(t.Context(), http.MethodPost, request("1", "ping", ""), map[string]string{"Caller": caller, "Mcp-Session-Id": id}).status
		}
		listen := func(id string) {
			header := map[string]string{"Caller": "ann", "Mcp-Session-Id": id, "Accept": "text/event-stream"}
			eventsOf(server.do(t.Context(), http.MethodGet, "", header)).want(t, "")
		}
		for range 13 { // of 16
			id, _ := begin("ann")
			listen(id)
		}
		bobs, _ := begin("bob")
		first, _ := begin("ann")
		second, _ := begin("ann")
		third, _ := begin("ann")
		if status := ping("ann", first); status != http.StatusOK {
			t.Errorf("session within the limit: status %d, want 200", status)
		}
		listen(third)
		fourth, _ := begin("ann")
		for _, id := range []string{first, third, fourth} {
			if status := ping("ann", id); status != http.StatusOK || resumed.count() > 0 {
				t.Errorf("recently used session: status %d, %d sessions resumed; want 200 and none", status, resumed.count())
			}
		}
		listen(first)
		listen(fourth)
		const full = "too many sessions of this caller: 16 are allowed at once"
		if _, response := begin("ann"); response.status != http.StatusServiceUnavailable || response.header.Get("Retry-After") == "" || !strings.Contains(bodyOf(t, response), full) {
			t.Errorf("with all sessions in use: status %d, want 503", response.status)
		}
		if status := ping("ann", second); status != http.StatusServiceUnavailable || resumed.count() > 0 {
			t.Errorf("ended session: status %d, want 503", status)
		}
		begin("bob")
		if _, response := begin("cat"); response.status != http.StatusServiceUnavailable || !strings.Contains(bodyOf(t, response), "too many sessions: 18 are allowed at once") {
			t.Errorf("beyond the total limit, without an own session: status %d, want 503", response.status)
		}
		if _, response := begin("bob"); response.status != http.StatusOK || ping("bob", bobs) != http.StatusOK || resumed.count() != 1 {
			t.Errorf("beyond the total limit: status %d, want 200", response.status)
		}
	})
}

// TestHealthProbe: a client that begins a session every few seconds and never uses it does not end the sessions of
// others.
func TestHealthProbe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, fixtureServer(t, nil), streamhttp.Sessions(20))
		client := server.begin("2025-11-25")
		for range 30 {
			time.Sleep(3 * time.Second)
			if response := server.do(t.Context(), http.MethodPost, hello("2025-11-25"), nil); response.status != http.StatusOK {
				t.Fatalf("status %d", response.status)
			}
			if response := client.send(t.Context(), request("1", "ping", "")); response.status != http.StatusOK {
				t.Fatalf("session in use: status %d, want 200", response.status)
			}
		}
	})
}

// TestShareOfStreams is TestShareOfSessions for streams and subscriptions.
func TestShareOfStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := serveCallers(t, fixtureServer(t, nil), streamhttp.Streams(20), streamhttp.KeepAlive(0))
		ctx, leave := context.WithCancel(t.Context())
		subscribe := func(caller string) answer {
			body := modern("1", "subscriptions/listen", `,"notifications":{"toolsListChanged":true}`)
			return m.do(ctx, http.MethodPost, body, heading("subscriptions/listen", "", "Caller", caller))
		}
		response := m.do(t.Context(), http.MethodPost, hello("2025-11-25"), map[string]string{"Caller": "ann"})
		bodyOf(t, response)
		listen := map[string]string{"Caller": "ann", "Mcp-Session-Id": response.header.Get("Mcp-Session-Id")}
		for range 15 { // of 16
			if got := subscribe("ann"); got.status != http.StatusOK {
				t.Errorf("status %d", got.status)
			}
		}
		if got := m.do(ctx, http.MethodGet, "", listen); got.status != http.StatusOK {
			t.Errorf("status %d", got.status)
		}
		const full = "too many event streams of this caller: 16 are allowed at once"
		if got := subscribe("ann"); got.status != http.StatusServiceUnavailable || !strings.Contains(bodyOf(t, got), full) {
			t.Errorf("subscription beyond the limit: status %d, want 503", got.status)
		}
		if got := m.do(ctx, http.MethodGet, "", listen); got.status != http.StatusServiceUnavailable || !strings.Contains(bodyOf(t, got), full) {
			t.Errorf("stream beyond the limit: status %d, want 503", got.status)
		}
		if got := subscribe("bob"); got.status != http.StatusOK {
			t.Errorf("bob gets status %d, want 200", got.status)
		}
		leave()
		synctest.Wait()
		ctx = t.Context()
		if got := subscribe("ann"); got.status != http.StatusOK {
			t.Errorf("after the streams ended: status %d, want 200", got.status)
		}
	})
}
