package streamhttp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/streamhttp"
)

// legacyVersions lists the revisions with sessions over HTTP.
var legacyVersions = []string{"2025-03-26", "2025-06-18", "2025-11-25"}

// legacyClient is a client with a session.
type legacyClient struct {
	*memory
	id string
}

func hello(version string) string {
	return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
}

// begin begins a session.
func (m *memory) begin(version string) legacyClient {
	m.t.Helper()
	response := m.do(m.t.Context(), http.MethodPost, hello(version), nil)
	body := bodyOf(m.t, response)
	id := response.header.Get("Mcp-Session-Id")
	if response.status != http.StatusOK || id == "" || !strings.Contains(body, `"protocolVersion":"`+version+`"`) {
		m.t.Fatalf("status %d, session %q: %s", response.status, id, body)
	}
	c := legacyClient{m, id}
	if response := c.send(m.t.Context(), `{"jsonrpc":"2.0","method":"notifications/initialized"}`); response.status != http.StatusAccepted || bodyOf(m.t, response) != "" {
		m.t.Fatalf("initialized: status %d", response.status)
	}
	return c
}

// send posts a message of the session.
func (c legacyClient) send(ctx context.Context, body string) answer {
	c.t.Helper()
	return c.do(ctx, http.MethodPost, body, map[string]string{"Mcp-Session-Id": c.id})
}

// listen opens a stream with GET. after is the Last-Event-ID, or "".
func (c legacyClient) listen(ctx context.Context, after string) answer {
	c.t.Helper()
	return c.do(ctx, http.MethodGet, "", map[string]string{"Mcp-Session-Id": c.id, "Accept": "text/event-stream", "Last-Event-ID": after})
}

// isCutOff reports whether the connection ends once the client reconnects to the stream of its session.
func (c legacyClient) isCutOff(ctx context.Context) bool {
	c.t.Helper()
	response, err := c.client.Do(c.request(ctx, http.MethodGet, "", map[string]string{"Mcp-Session-Id": c.id, "Accept": "text/event-stream"}))
	if err == nil {
		_ = response.Body.Close()
	}
	return errors.Is(err, io.EOF)
}

// request returns the body of a legacy request. params are the members of its params.
func request(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + `}}`
}

// reporting returns a call that reports progress twice, ms milliseconds apart.
func reporting(id, ms string) string {
	return request(id, "tools/call", `"name":"report","arguments":{"ms":`+ms+`,"reports":[{"done":1},{"done":2}]},"_meta":{"progressToken":`+id+`}`)
}

func TestLegacyStatus(t *testing.T) {
	t.Parallel()
	list := request("1", "tools/list", "")
	tests := []struct {
		name, method, body string
		header             map[string]string // the session id "ID" is replaced by the real one
		status, code       int
	}{
		{"T-HTTPL-06 a request", "POST", list, map[string]string{"Mcp-Session-Id": "ID"}, 200, 0},
		{"T-HTTPL-10 an unknown method", "POST", request("1", "nope", ""), map[string]string{"Mcp-Session-Id": "ID"}, 200, -32601},
		{"T-HTTPL-10 an unknown tool", "POST", request("1", "tools/call", `"name":"nope"`), map[string]string{"Mcp-Session-Id": "ID"}, 200, -32602},
		{"wire §23 invalid JSON", "POST", `{`, map[string]string{"Mcp-Session-Id": "ID"}, 400, -32700},
		{"wire §23 invalid JSON, no session", "POST", `{`, nil, 400, -32700},
		{"wire §23 no method", "POST", `{"jsonrpc":"2.0","id":1}`, map[string]string{"Mcp-Session-Id": "ID"}, 400, -32600},
		{"T-RPC-21 a batch at 2025-11-25", "POST", `[` + list + `]`, map[string]string{"Mcp-Session-Id": "ID"}, 400, -32600},
		{"T-HTTPL-16 no session", "POST", list, nil, 400, -32602},
		{"T-HTTPL-16 ping without session", "POST", request("1", "ping", ""), nil, 400, -32602},
		{"T-HTTPL-16 a notification without session", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 400, -32602},
		{"T-HTTPL-16 GET without session", "GET", "", nil, 400, -32602},
		{"T-HTTPL-16 DELETE without session", "DELETE", "", nil, 400, -32602},
		{"T-HTTPL-17 another session", "POST", list, map[string]string{"Mcp-Session-Id": "x"}, 404, -32600},
		{"T-HTTPL-17 GET of another session", "GET", "", map[string]string{"Mcp-Session-Id": "x"}, 404, -32600},
		{"T-HTTPL-18 DELETE of another session", "DELETE", "", map[string]string{"Mcp-Session-Id": "x"}, 404, -32600},
		{"T-HTTPL-26 T-VER-11 the version", "POST", list, map[string]string{"Mcp-Session-Id": "ID", "MCP-Protocol-Version": "2025-11-25"}, 200, 0},
		{"T-VER-08 no version", "POST", list, map[string]string{"Mcp-Session-Id": "ID"}, 200, 0},
		{"T-HTTPL-26 T-VER-11 an unsupported version", "POST", list, map[string]string{"Mcp-Session-Id": "ID", "MCP-Protocol-Version": "1900-01-01"}, 400, -32600},
		{"T-HTTPL-26 T-VER-11 an invalid version", "POST", list, map[string]string{"Mcp-Session-Id": "ID", "MCP-Protocol-Version": "banana"}, 400, -32600},
		{"T-HTTPL-26 on GET", "GET", "", map[string]string{"Mcp-Session-Id": "ID", "MCP-Protocol-Version": "banana"}, 400, -32600},
		{"T-HTTPL-26 on DELETE", "DELETE", "", map[string]string{"Mcp-Session-Id": "ID", "MCP-Protocol-Version": "banana"}, 400, -32600},
		{"A-09 a version on initialize", "POST", hello("2025-06-18"), map[string]string{"MCP-Protocol-Version": "2026-07-28"}, 200, 0},
		{"T-HTTPL-29 modern headers are ignored", "POST", list, map[string]string{"Mcp-Session-Id": "ID", "Mcp-Method": "x", "Mcp-Name": "y", "Mcp-Param-Region": "z"}, 200, 0},
		{"T-HTTPL-02 an origin, on POST", "POST", list, map[string]string{"Mcp-Session-Id": "ID", "Origin": "https://evil.example"}, 403, -32600},
		{"T-HTTPL-02 an origin, on GET", "GET", "", map[string]string{"Mcp-Session-Id": "ID", "Origin": "https://evil.example"}, 403, -32600},
		{"T-HTTPL-02 an origin, on DELETE", "DELETE", "", map[string]string{"Mcp-Session-Id": "ID", "Origin": "https://evil.example"}, 403, -32600},
		{"T-HTTPL-13 GET without accepting streams", "GET", "", map[string]string{"Mcp-Session-Id": "ID", "Accept": "application/json"}, 406, -32600},
		{"T-HTTPL-01 another method", "PUT", list, map[string]string{"Mcp-Session-Id": "ID"}, 405, -32600},
		{"T-HTTPL-21 an invalid event id", "GET", "", map[string]string{"Mcp-Session-Id": "ID", "Last-Event-ID": "banana"}, 400, -32600},
		{"T-HTTPL-21 an unknown stream", "GET", "", map[string]string{"Mcp-Session-Id": "ID", "Last-Event-ID": "99-1"}, 400, -32600},
		{"initialize twice", "POST", hello("2025-06-18"), map[string]string{"Mcp-Session-Id": "ID"}, 200, -32600},
		{"a malformed initialize", "POST", request("1", "initialize", ""), nil, 200, -32602},
	}
	server := serve(t, fixtureServer(t, nil), streamhttp.RequireSessions())
	client := server.begin("2025-11-25")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			header := map[string]string{}
			for name, value := range test.header {
				header[name] = strings.ReplaceAll(value, "ID", client.id)
			}
			response := server.do(t.Context(), test.method, test.body, header)
			body := bodyOf(t, response)
			if _, code := answerOf(t, body); response.status != test.status || code != test.code {
				t.Errorf("status %d, code %d, want %d and %d: %s", response.status, code, test.status, test.code, body)
			}
			if got := response.header.Get("Mcp-Session-Id"); (got != "") != (test.name[:4] == "A-09") {
				t.Errorf("T-HTTPL-14: session id %q", got)
			}
		})
	}
}

// TestLegacyVersions: a request of a session may name any supported revision. The response uses the revision of the
// session.
func TestLegacyVersions(t *testing.T) {
	t.Parallel()
	server := serve(t, fixtureServer(t, nil))
	client := server.begin("2025-11-25")
	for _, test := range []struct {
		versions []string
		status   int
	}{
		{[]string{"2025-06-18"}, 200},
		{nil, 200},
		{[]string{"2025-11-25"}, 200},
		{[]string{"2025-11-25", "2025-11-25"}, 200},
		{[]string{"2024-11-05"}, 200},
		{[]string{"2026-07-28"}, 200},
		{[]string{"1900-01-01"}, 400},
		{[]string{"2025-11-25", "2025-06-18"}, 400}, // proxies may disagree on which one counts
		{[]string{"2025-11-25", "banana"}, 400},
		{nil, 200},
	} {
		r := server.request(t.Context(), http.MethodPost, request("1", "tools/list", ""), map[string]string{"Mcp-Session-Id": client.id})
		for _, version := range test.versions {
			r.Header.Add("MCP-Protocol-Version", version)
		}
		response, err := server.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if test.status == http.StatusOK && !strings.Contains(string(body), `"icons"`) {
			t.Errorf("versions %q: response is not of revision 2025-11-25: %s", test.versions, body)
		}
		if n := len(test.versions); test.status != http.StatusOK && !strings.Contains(string(body), `\"`+test.versions[n-1]+`\"`) || strings.Contains(string(body), "error") && !strings.Contains(string(body), "the session is 2025-11-25") {
			t.Errorf("versions %q: error does not name them: %s", test.versions, body)
		}
		if response.StatusCode != test.status {
			t.Errorf("versions %q: status %d, want %d", test.versions, response.StatusCode, test.status)
		}
	}
}

// TestLegacyLife follows a session from initialize to DELETE, in every revision, with modern requests in between.
func TestLegacyLife(t *testing.T) {
	t.Parallel()
	for _, version := range legacyVersions {
		t.Run("T-HTTPL-05 T-HTTPL-14 T-HTTPL-17 T-HTTPL-18 T-VER-02 "+version, func(t *testing.T) {
			t.Parallel()
			client := serve(t, fixtureServer(t, nil)).begin(version)
			if body := bodyOf(t, client.send(t.Context(), request("1", "tools/list", ""))); !strings.Contains(body, `"tools":[`) || strings.Contains(body, "resultType") {
				t.Error(body)
			}
			if body := bodyOf(t, client.call(t.Context(), "echo", `{}`)); !strings.Contains(body, "resultType") {
				t.Error(body)
			}
			if response := client.send(t.Context(), `{"jsonrpc":"2.0","id":9,"result":{}}`); response.status != http.StatusAccepted {
				t.Errorf("T-HTTPL-28: response: status %d, want 202", response.status)
			}
			header := map[string]string{"Mcp-Session-Id": client.id}
			if response := client.do(t.Context(), http.MethodDelete, "", header); response.status != http.StatusNoContent {
				t.Errorf("DELETE: status %d, want 204", response.status)
			}
			for _, method := range []string{http.MethodPost, http.MethodDelete, http.MethodGet} {
				if response := client.do(t.Context(), method, request("1", "tools/list", ""), header); response.status != http.StatusNotFound {
					t.Errorf("%s after DELETE: status %d, want 404", method, response.status)
				}
			}
		})
	}
}

// TestSessionIDs: session ids are unpredictable.
func TestSessionIDs(t *testing.T) {
	t.Parallel()
	t.Run("T-HTTPL-15 T-SEC-09", sessionIDs)
}

func sessionIDs(t *testing.T) {
	server := serve(t, fixtureServer(t, nil))
	seen := map[string]bool{}
	for range 1000 {
		response := server.do(t.Context(), http.MethodPost, hello("2025-11-25"), nil)
		id := response.header.Get("Mcp-Session-Id")
		if len(id) < 26 || strings.ContainsFunc(id, func(r rune) bool { return r < '!' || r > '~' }) || seen[id] {
			t.Fatalf("session id %q", id)
		}
		seen[id] = true
	}
}

// TestLegacyStream: a call that reports progress is answered with a stream if the client accepts one.
func TestLegacyStream(t *testing.T) {
	t.Parallel()
	for _, version := range legacyVersions {
		t.Run("T-HTTPL-06 T-HTTPL-07 T-HTTPL-08 T-HTTPL-09 T-HTTPL-20 T-HTTPL-23 T-PROG-10 "+version, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client := serve(t, fixtureServer(t, nil)).begin(version)
				ids := map[string]bool{}
				for _, id := range []string{"1", "2"} {
					stream := eventsOf(client.send(t.Context(), reporting(id, "100")))
					parts := []string{`"progress":1`, `"progress":2`, `"id":` + id + `,"result":{`}
					if version == "2025-11-25" {
						parts = append([]string{""}, parts...)
					}
					for i, part := range parts {
						e := stream.want(t, part)
						if (part == "") != (e.data == "") || (e.retry != "") != (part == "") || e.id == "" || ids[e.id] {
							t.Errorf("event %d: %+v", i, e)
						}
						ids[e.id] = true
					}
					stream.wantEnd(t)
				}
				if body := bodyOf(t, client.do(t.Context(), http.MethodPost, reporting("3", "0"), map[string]string{"Mcp-Session-Id": client.id, "Accept": "application/json"})); !strings.HasPrefix(body, `{"jsonrpc":"2.0","id":3,"result":{`) {
					t.Errorf("with a client that accepts no streams: %s", body)
				}
				stream := eventsOf(client.do(t.Context(), http.MethodPost, request("4", "ping", ""), map[string]string{"Mcp-Session-Id": client.id, "Accept": "text/event-stream"}))
				if version == "2025-11-25" {
					stream.want(t, "")
				}
				stream.want(t, `"id":4,"result":{}`)
				stream.wantEnd(t)
			})
		})
	}
}

// TestReplayIsBounded: a session keeps a limited number of events, and resuming at a dropped event is an error.
func TestReplayIsBounded(t *testing.T) {
	t.Parallel()
	for _, bytes := range []int{0, 1 << 10} {
		synctest.Test(t, func(t *testing.T) {
			client := serve(t, fixtureServer(t, nil), streamhttp.Replay(bytes)).begin("2025-11-25")
			stream := eventsOf(client.send(t.Context(), reporting("1", "100")))
			if bytes > 0 {
				stream.want(t, "")
			}
			first := stream.want(t, `"progress":1`)
			if (first.id == "") != (bytes == 0) {
				t.Errorf("with %d bytes: %+v", bytes, first)
			}
			stream.want(t, `"progress":2`)
			stream.want(t, `"id":1,"result":{`)
			stream.wantEnd(t)
			for id := range 20 {
				bodyOf(t, client.send(t.Context(), reporting(strconv.Itoa(10+id), "100")))
			}
			if response := client.listen(t.Context(), "1-1"); response.status != http.StatusBadRequest {
				t.Errorf("with %d bytes: status %d, want 400", bytes, response.status)
			}
		})
	}
}

// TestLegacyGet: messages that belong to no request are sent on the latest GET stream.
func TestLegacyGet(t *testing.T) {
	t.Parallel()
	t.Run("T-HTTPL-11 T-HTTPL-12 T-HTTPL-22 T-CHG-03 T-CHG-15", legacyGet)
}

func legacyGet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := serve(t, fixtureServer(t, map[string]string{"tools": "learn,echo"}), streamhttp.KeepAlive(0)).begin("2025-06-18")
		const changed = `notifications/tools/list_changed`
		learn := func(name string) {
			client.call(t.Context(), "learn", `{"add":["`+name+`"]}`)
			synctest.Wait()
		}
		learn("a")
		learn("b") // no stream is open: both changes become one notification
		first := eventsOf(client.listen(t.Context(), ""))
		first.want(t, changed)
		ctx, leave := context.WithCancel(t.Context())
		second := eventsOf(client.listen(ctx, "")) // replaces the first
		first.wantEnd(t)
		learn("c")
		e := second.want(t, changed)
		bodyOf(t, client.send(t.Context(), request("1", "tools/list", "")))
		leave()
		synctest.Wait()
		learn("d")
		third := eventsOf(client.listen(t.Context(), e.id))
		third.want(t, changed)
		if response := client.do(t.Context(), http.MethodDelete, "", map[string]string{"Mcp-Session-Id": client.id}); response.status != http.StatusNoContent {
			t.Errorf("DELETE: status %d, want 204", response.status)
		}
		third.wantEnd(t)
	})
}

// TestLegacyDisconnect: closing the connection does not cancel the call.
func TestLegacyDisconnect(t *testing.T) {
	t.Parallel()
	t.Run("T-HTTPL-25 T-CANC-08", legacyDisconnect)
}

func legacyDisconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := serve(t, fixtureServer(t, nil)).begin("2025-06-18")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(request("1", "tools/call", `"name":"sleep","arguments":{"ms":10000}`)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Mcp-Session-Id", client.id)
		if response, err := client.client.Do(r); err == nil {
			response.Body.Close()
			t.Error("got a response before the call ended")
		}
		time.Sleep(time.Second)
		if body := bodyOf(t, client.send(t.Context(), request("1", "ping", ""))); !strings.Contains(body, `"result":{}`) {
			t.Error(body)
		}
		if body := bodyOf(t, client.send(t.Context(), request("1", "tools/call", `"name":"echo"`))); !strings.Contains(body, "still being answered") {
			t.Errorf("the call was cancelled: %s", body)
		}
		time.Sleep(10 * time.Second)
		if body := bodyOf(t, client.send(t.Context(), request("1", "tools/call", `"name":"echo"`))); !strings.Contains(body, `"result":{`) {
			t.Errorf("the call still runs: %s", body)
		}
	})
}

// TestSessionExpiry: idle sessions expire, others do not, and their number is limited. An expired session is resumed
// when its client returns.
func TestSessionExpiry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := fixtureServer(t, nil)
		resumed := countResumptions(srv)
		server := serve(t, srv, streamhttp.SessionIdle(time.Minute), streamhttp.Sessions(2), streamhttp.KeepAlive(0))
		abandoned, used := server.begin("2025-11-25"), server.begin("2025-11-25")
		ctx, leave := context.WithCancel(t.Context())
		eventsOf(used.listen(ctx, "")).want(t, "")
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if response := used.send(t.Context(), request("1", "ping", "")); response.status != http.StatusOK || resumed.count() != 0 {
			t.Errorf("session with an open stream: status %d, want 200", response.status)
		}
		if response := abandoned.send(t.Context(), request("1", "ping", "")); response.status != http.StatusOK || resumed.count() != 1 {
			t.Errorf("abandoned session: status %d", response.status)
		}
		leave()
		synctest.Wait()
		time.Sleep(59 * time.Second)
		if response := used.send(t.Context(), request("1", "ping", "")); response.status != http.StatusOK || resumed.count() != 1 {
			t.Errorf("session before its expiry: status %d", response.status)
		}
		server.begin("2025-11-25")
	})
}

// TestLegacyShutdown: streams end at once, calls get the grace period, and no new request begins.
func TestLegacyShutdown(t *testing.T) {
	t.Parallel()
	t.Run("T-LIFE-13", legacyShutdown)
}

func legacyShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := serve(t, fixtureServer(t, nil)).begin("2025-06-18")
		open := eventsOf(client.listen(t.Context(), ""))
		answers := make(chan string, 1)
		go func() {
			answers <- bodyOf(t, client.send(t.Context(), request("1", "tools/call", `"name":"sleep","arguments":{"ms":1000}`)))
		}()
		synctest.Wait()
		began := time.Now()
		client.shutdown(5 * time.Second)
		open.wantEnd(t)
		if took := time.Since(began); took > 0 {
			t.Errorf("the stream ended after %v, want at once", took)
		}
		response := client.do(t.Context(), http.MethodPost, hello("2025-11-25"), nil)
		if response.status != http.StatusServiceUnavailable {
			t.Errorf("new session after the shutdown: status %d", response.status)
		}
		if !response.closes {
			t.Error("the connection stays open after the shutdown, want Connection: close")
		}
		if answer := <-answers; !strings.Contains(answer, "slept 1000 ms") {
			t.Error(answer)
		}
	})
}
