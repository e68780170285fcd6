package streamhttp_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/streamhttp"
)

// toolNames returns the tool names in a tools/list response.
func toolNames(t *testing.T, response answer) []string {
	t.Helper()
	var list struct {
		Result struct{ Tools []struct{ Name string } }
	}
	body := bodyOf(t, response)
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatalf("status %d, %v: %s", response.status, err, body)
	}
	var names []string
	for _, tool := range list.Result.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// TestVisibleTools: T-LIST-04, each request lists the tools that its own token allows, in both eras.
func TestVisibleTools(t *testing.T) {
	t.Parallel()
	server := serve(t, notes(t, nil), protection(t, nil))
	for token, want := range map[string]string{
		"ada":        "list_notes whoami",
		"ada.writes": "list_notes whoami write_note",
		"scopeless":  "whoami",
		"admin":      "delete_user list_notes whoami write_note",
	} {
		t.Run(token, func(t *testing.T) {
			t.Parallel()
			got := toolNames(t, server.do(t.Context(), http.MethodPost, modern("1", "tools/list", ""), with(token, heading("tools/list", ""))))
			if strings.Join(got, " ") != want {
				t.Errorf("a modern client sees %q, want %s", got, want)
			}
			session := server.beginAs("2025-11-25", token)
			if got = toolNames(t, session.send(t.Context(), request("1", "tools/list", ""))); strings.Join(got, " ") != want {
				t.Errorf("a session sees %q, want %s", got, want)
			}
		})
	}
}

// TestStepUpInSession: the scopes of each request's token apply, not the scopes of the token that began the session.
func TestStepUpInSession(t *testing.T) {
	t.Parallel()
	for _, version := range legacyVersions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			server := serve(t, notes(t, nil), protection(t, nil))
			session := server.beginAs(version, "ada")
			call := request("1", "tools/call", `"name":"write_note"`)
			for _, accept := range []string{"application/json, text/event-stream", "application/json", "text/event-stream"} {
				response := server.do(t.Context(), http.MethodPost, call, with("ada", map[string]string{"Mcp-Session-Id": session.id, "Accept": accept}))
				challenge := response.header.Get("Www-Authenticate")
				if _, code := answerOf(t, bodyOf(t, response)); response.status != 403 || code != -32600 || !strings.Contains(challenge, `error="insufficient_scope"`) || !strings.Contains(challenge, `scope="notes:read notes:write"`) {
					t.Errorf("Accept %s: status %d, code %d, challenge %q", accept, response.status, code, challenge)
				}
			}
			session.token = "ada.writes"
			if response := session.send(t.Context(), call); response.status != 200 || !strings.Contains(bodyOf(t, response), "you are ada") {
				t.Errorf("with more scopes: status %d", response.status)
			}
			session.token = "ada"
			if response := session.send(t.Context(), call); response.status != 403 {
				t.Errorf("with fewer scopes again: status %d", response.status)
			}
		})
	}
}

// ownedSession is a session whose requests carry a token.
type ownedSession struct {
	*memory
	id, token string
}

// beginAs begins a session with a token.
func (m *memory) beginAs(version, token string) *ownedSession {
	m.t.Helper()
	response := m.do(m.t.Context(), http.MethodPost, hello(version), with(token, map[string]string{}))
	s := &ownedSession{m, response.header.Get("Mcp-Session-Id"), token}
	if body := bodyOf(m.t, response); response.status != http.StatusOK || s.id == "" {
		m.t.Fatalf("status %d: %s", response.status, body)
	}
	if got := s.send(m.t.Context(), `{"jsonrpc":"2.0","method":"notifications/initialized"}`); got.status != http.StatusAccepted {
		m.t.Fatalf("initialized: status %d", got.status)
	}
	return s
}

func (s *ownedSession) send(ctx context.Context, body string) answer {
	s.t.Helper()
	return s.do(ctx, http.MethodPost, body, with(s.token, map[string]string{"Mcp-Session-Id": s.id}))
}

// TestSessionOwner: T-HTTPL-19, only the principal that began a session can use its id, and T-AUTH-02, only with a
// token.
func TestSessionOwner(t *testing.T) {
	t.Parallel()
	server := serve(t, notes(t, nil), protection(t, nil))
	session := server.beginAs("2025-11-25", "ada")
	list := request("1", "tools/list", "")
	tests := []struct {
		name, method, token string
		header              map[string]string
		status              int
	}{
		{"T-HTTPL-19 POST by the owner", "POST", "ada", nil, 200},
		{"T-HTTPL-19 POST by the owner, with another token", "POST", "ada.writes", nil, 200},
		{"T-HTTPL-19 POST by another", "POST", "bob", nil, 404},
		{"T-HTTPL-19 GET by another", "GET", "bob", map[string]string{"Accept": "text/event-stream"}, 404},
		{"T-HTTPL-19 GET by another, with Last-Event-ID", "GET", "bob", map[string]string{"Accept": "text/event-stream", "Last-Event-ID": "0-0"}, 404},
		{"T-HTTPL-19 DELETE by another", "DELETE", "bob", nil, 404},
		{"T-HTTPL-19 POST by another with all scopes", "POST", "admin", nil, 404},
		{"T-AUTH-02 POST without a token", "POST", "", nil, 401},
		{"T-AUTH-02 GET without a token", "GET", "", map[string]string{"Accept": "text/event-stream"}, 401},
		{"T-AUTH-02 DELETE without a token", "DELETE", "", nil, 401},
		{"T-AUTH-02 POST with an expired token", "POST", "expired", nil, 401},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			header := map[string]string{"Mcp-Session-Id": session.id}
			for name, value := range test.header {
				header[name] = value
			}
			if test.token != "" {
				with(test.token, header)
			}
			body := ""
			if test.method == "POST" {
				body = list
			}
			if response := server.do(t.Context(), test.method, body, header); response.status != test.status {
				t.Errorf("status %d, want %d: %s", response.status, test.status, bodyOf(t, response))
			}
		})
	}
	for name, id := range map[string]string{"of another": session.id, "that is unknown": "x"} {
		response := server.do(t.Context(), "POST", hello("2025-11-25"), with("bob", map[string]string{"Mcp-Session-Id": id}))
		if begun := response.header.Get("Mcp-Session-Id"); response.status != http.StatusOK || begun == "" || begun == id {
			t.Errorf("initialize with an id %s: status %d, id %q", name, response.status, begun)
		}
	}
	stolen, unknown := *session, *session
	stolen.token, unknown.token, unknown.id = "bob", "bob", "x"
	if a, b := bodyOf(t, stolen.send(t.Context(), list)), bodyOf(t, unknown.send(t.Context(), list)); a != b {
		t.Errorf("another caller can tell that the session exists: %s; for an unknown id: %s", a, b)
	}
	if response := server.do(t.Context(), http.MethodDelete, "", with("ada", map[string]string{"Mcp-Session-Id": session.id})); response.status != http.StatusNoContent {
		t.Errorf("DELETE by the owner: status %d, want 204", response.status)
	}
}

// TestStreamsEndWithTheToken: a stream ends when its token expires.
func TestStreamsEndWithTheToken(t *testing.T) {
	t.Parallel()
	open := map[string]func(*memory) answer{
		"GET of a session": func(m *memory) answer {
			session := m.beginAs("2025-11-25", "t")
			return m.do(m.t.Context(), http.MethodGet, "", with("t", map[string]string{"Mcp-Session-Id": session.id, "Accept": "text/event-stream"}))
		},
		"a subscription": func(m *memory) answer {
			return m.do(m.t.Context(), http.MethodPost, modern("1", "subscriptions/listen", `,"notifications":{}`), with("t", heading("subscriptions/listen", "")))
		},
	}
	for name, begin := range open {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				token := here("ada", "")
				token.Expiry = time.Now().Add(time.Minute)
				guard, err := streamhttp.Protect(func(context.Context, string) (streamhttp.Token, error) { return token, nil },
					streamhttp.ProtectedResource{Resource: resource, AuthorizationServers: []string{"https://auth.example.com"}})
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				response := begin(serve(t, notes(t, nil), guard))
				if response.status != http.StatusOK {
					t.Fatalf("status %d", response.status)
				}
				if _, err := io.ReadAll(response.body); err != nil {
					t.Errorf("reading the stream: %v", err)
				}
				if open := time.Since(start); open != time.Minute {
					t.Errorf("the stream was open for %v", open)
				}
			})
		})
	}
}

// TestCallOutlivesTheToken: a call that began with a valid token completes after the token expired.
func TestCallOutlivesTheToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		token := here("ada", "")
		token.Expiry = time.Now().Add(time.Minute)
		guard, err := streamhttp.Protect(func(context.Context, string) (streamhttp.Token, error) { return token, nil },
			streamhttp.ProtectedResource{Resource: resource, AuthorizationServers: []string{"https://auth.example.com"}})
		if err != nil {
			t.Fatal(err)
		}
		srv := notes(t, nil)
		addTool(t, srv, "slow", func(context.Context) string { time.Sleep(time.Hour); return "done" })
		server := serve(t, srv, guard)
		body := modern("1", "tools/call", `,"name":"slow"`)
		if response := server.do(t.Context(), http.MethodPost, body, with("t", heading("tools/call", "slow"))); response.status != 200 || !strings.Contains(bodyOf(t, response), "done") {
			t.Errorf("status %d", response.status)
		}
		if response := server.do(t.Context(), http.MethodPost, body, with("t", heading("tools/call", "slow"))); response.status != 401 {
			t.Errorf("after the expiry: status %d, want 401", response.status)
		}
	})
}

// TestProtectedSSE: Protect applies to HTTP with SSE as well. Responses are sent on a separate stream without a
// challenge, so a hidden tool is reported as unknown.
func TestProtectedSSE(t *testing.T) {
	t.Parallel()
	server := serveSSE(t, notes(t, nil), protection(t, nil))
	open := server.at("/sse").do(t.Context(), http.MethodGet, "", with("ada", map[string]string{"Accept": "text/event-stream"}))
	stream := eventsOf(open)
	first, err := stream.next()
	if err != nil || first.name != "endpoint" {
		t.Fatalf("status %d, %v: %+v", open.status, err, first)
	}
	post := func(token, body string) int {
		header := map[string]string{}
		if token != "" {
			with(token, header)
		}
		return server.at(first.data).do(t.Context(), http.MethodPost, body, header).status
	}
	tests := []struct {
		name, token string
		status      int
	}{
		{"T-AUTH-02 no token", "", 401},
		{"T-AUTH-02 an expired token", "expired", 401},
		{"T-HTTPL-19 the token of another", "bob", 404},
		{"T-HTTPL-19 the token of the owner", "ada", 202},
	}
	for _, test := range tests {
		if status := post(test.token, hello("2024-11-05")); status != test.status {
			t.Errorf("%s: status %d, want %d", test.name, status, test.status)
		}
	}
	stream.want(t, `"protocolVersion"`)
	post("ada", `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	post("ada", request("1", "tools/call", `"name":"write_note"`))
	stream.want(t, `unknown tool \"write_note\"`)
	post("ada.writes", request("2", "tools/call", `"name":"list_notes"`))
	stream.want(t, `"by":"ada"`) // from the tool
	stream.want(t, "you are ada")
	if response := server.at("/sse").do(t.Context(), http.MethodGet, "", map[string]string{"Accept": "text/event-stream"}); response.status != http.StatusUnauthorized {
		t.Errorf("stream without a token: status %d, want 401", response.status)
	}
}
