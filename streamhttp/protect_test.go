package streamhttp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/syncbuffer"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

const (
	resource    = "https://mcp.example.com/mcp"
	metadataURL = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp"
)

// here returns a token for the resource of these tests.
func here(principal, scopes string) streamhttp.Token {
	return streamhttp.Token{Principal: principal, Scopes: strings.Fields(scopes), Audience: []string{resource}}
}

// knownTokens maps valid and invalid tokens to the results of the verifier.
var knownTokens = map[string]streamhttp.Token{
	"ada":          here("ada", "notes:read"),
	"ada.writes":   here("ada", "notes:read notes:write"),
	"bob":          here("bob", "notes:read"),
	"scopeless":    here("eve", ""),
	"admin":        here("root", "admin notes:read notes:write"), // admin includes the others
	"loud":         {Principal: "ada", Scopes: []string{"notes:read"}, Audience: []string{"HTTPS://MCP.Example.COM:443/mcp/"}},
	"elsewhere":    {Principal: "ada", Scopes: []string{"notes:read"}, Audience: []string{"https://other.example.com/mcp"}},
	"upstairs":     {Principal: "ada", Scopes: []string{"notes:read"}, Audience: []string{"https://mcp.example.com"}},
	"queried":      {Principal: "ada", Scopes: []string{"notes:read"}, Audience: []string{resource + "?x=1"}},
	"for-nobody":   {Principal: "ada", Scopes: []string{"notes:read"}},
	"for-several":  {Principal: "ada", Scopes: []string{"notes:read"}, Audience: []string{"api", "https://other.example.com", resource}},
	"expired":      {Principal: "ada", Scopes: []string{"notes:read"}, Audience: []string{resource}, Expiry: time.Unix(1, 0)},
	"nameless":     {Scopes: []string{"notes:read"}, Audience: []string{resource}},
	"c2VjcmV0Lz8=": here("ada", "notes:read"),
}

// verifyKnown is a TokenVerifier. Some tokens make it fail or panic.
func verifyKnown(_ context.Context, token string) (streamhttp.Token, error) {
	if strings.HasPrefix(token, "unlucky") {
		return streamhttp.Token{}, fmt.Errorf("Get \"https://auth.example.com/introspect?token=%s\": dial tcp: no route to host", token)
	}
	if token == "cursed" {
		panic("with the token " + token)
	}
	known, ok := knownTokens[token]
	if !ok {
		return streamhttp.Token{}, fmt.Errorf("%q is not in the table: %w", token, streamhttp.ErrInvalidToken)
	}
	return known, nil
}

// protection returns a Protection with verifyKnown. change edits the resource.
func protection(t *testing.T, change func(*streamhttp.ProtectedResource)) *streamhttp.Protection {
	t.Helper()
	r := streamhttp.ProtectedResource{
		Resource: resource, AuthorizationServers: []string{"https://auth.example.com"}, Scopes: []string{"notes:read"},
	}
	if change != nil {
		change(&r)
	}
	p, err := streamhttp.Protect(verifyKnown, r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// notes returns a server with tools that need scopes and return the name of the caller.
func notes(t *testing.T, logger *slog.Logger) *runtime.Server {
	t.Helper()
	srv := &runtime.Server{Name: "notes", Version: "1", Tools: &mcptool.Registry{}, Logger: logger}
	for name, opts := range map[string][]mcptool.ToolOption{
		"list_notes":  {mcptool.Scopes("notes:read")},
		"write_note":  {mcptool.Scopes("notes:write", "notes:read")},
		"delete_user": {mcptool.Scopes("admin")},
		"whoami":      nil,
	} {
		tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (mcptool.Text, error) {
			mcptool.Logger(ctx).WarnContext(ctx, "called", slog.String("by", mcptool.Caller(ctx).Principal))
			return mcptool.Text{Text: "you are " + mcptool.Caller(ctx).Principal}, nil
		}, append(opts, mcptool.Name(name))...)
		if err == nil {
			err = srv.Tools.Add(tool)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return srv
}

// with adds a token to the headers.
func with(token string, header map[string]string) map[string]string {
	header["Authorization"] = "Bearer " + token
	return header
}

// TestProtectedNilLogger: without a Logger, the error of a failed verifier is written to the default log.
func TestProtectedNilLogger(t *testing.T) { //nolint:paralleltest // it sets the default logger
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	p, err := streamhttp.Protect(func(context.Context, string) (streamhttp.Token, error) {
		return streamhttp.Token{}, errors.New("the database is down")
	}, streamhttp.ProtectedResource{Resource: resource, AuthorizationServers: []string{"https://auth.example.com"}})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, resource, strings.NewReader(modern("1", "tools/list", "")))
	r.Header.Set("Authorization", "Bearer x")
	newHandler(t, notes(t, nil), p).ServeHTTP(httptest.NewRecorder(), r)
	if !strings.Contains(log.String(), "the database is down") {
		t.Errorf("default log: %q", log.String())
	}
}

// TestProtected checks the status and challenge for each Authorization header.
func TestProtected(t *testing.T) {
	t.Parallel()
	const (
		asks    = `Bearer resource_metadata="` + metadataURL + `", scope="notes:read"`
		invalid = `Bearer error="invalid_token", error_description="the token `
		again   = `", resource_metadata="` + metadataURL + `", scope="notes:read"`
		request = `Bearer error="invalid_request", error_description="the header Authorization `
	)
	list, call := modern("1", "tools/list", ""), modern("1", "tools/call", `,"name":"write_note"`)
	tests := []struct {
		name          string
		authorization []string
		body          string
		tool          string // named in the headers
		status        int
		challenge     string // prefix of the header
	}{
		{"T-AUTH-01 T-AUTH-06 T-AUTH-08 no token", nil, list, "", 401, asks},
		{"T-AUTH-18 no token for server/discover", nil, modern("1", "server/discover", ""), "", 401, asks},
		{"T-AUTH-01 no token, invalid JSON", nil, "{", "", 401, asks},
		{"T-AUTH-01 valid token", []string{"Bearer ada"}, list, "", 200, ""},
		{"T-AUTH-01 scheme in another case", []string{"bEARER  ada"}, list, "", 200, ""},
		{"T-AUTH-01 base64", []string{"Bearer c2VjcmV0Lz8="}, list, "", 200, ""},
		{"T-AUTH-01 unknown token", []string{"Bearer adb"}, list, "", 401, invalid + `is not valid` + again},
		{"T-AUTH-01 expired token", []string{"Bearer expired"}, list, "", 401, invalid + `has expired` + again},
		{"T-AUTH-12 for another server", []string{"Bearer elsewhere"}, list, "", 401, invalid + `was not issued for this resource` + again},
		{"T-AUTH-12 for the whole host", []string{"Bearer upstairs"}, list, "", 401, invalid},
		{"T-AUTH-12 for another query", []string{"Bearer queried"}, list, "", 401, invalid},
		{"T-AUTH-12 without an audience", []string{"Bearer for-nobody"}, list, "", 401, invalid},
		{"T-AUTH-12 for several audiences", []string{"Bearer for-several"}, list, "", 200, ""},
		{"T-AUTH-15 for an equivalent URI", []string{"Bearer loud"}, list, "", 200, ""},
		{"T-AUTH-01 another scheme", []string{"Basic YWRhOmFkYQ=="}, list, "", 400, request},
		{"T-AUTH-01 no scheme", []string{"ada"}, list, "", 400, request},
		{"T-AUTH-01 nothing behind the scheme", []string{"Bearer"}, list, "", 400, request},
		{"T-AUTH-01 white space behind the scheme", []string{"Bearer  "}, list, "", 400, request},
		{"T-AUTH-01 two tokens in one", []string{"Bearer ada bob"}, list, "", 400, request},
		{"T-AUTH-01 a malformed token", []string{"Bearer ada,bob"}, list, "", 400, request},
		{"T-AUTH-01 two tokens", []string{"Bearer ada", "Bearer bob"}, list, "", 400, request + `is present more than once"`},
		{"T-AUTH-01 too long a token", []string{"Bearer " + strings.Repeat("x", 9<<10)}, list, "", 400, request + `is longer than 8192 bytes"`},
		{"T-AUTH-09 a missing scope", []string{"Bearer ada"}, call, "write_note", 403, `Bearer error="insufficient_scope", error_description="the tool needs scopes that the token lacks", resource_metadata="` + metadataURL + `", scope="notes:read notes:write"`},
		{"T-AUTH-09 both scopes", []string{"Bearer ada.writes"}, call, "write_note", 200, ""},
		{"T-AUTH-10 an implied scope, added by the verifier", []string{"Bearer admin"}, call, "write_note", 200, ""},
		{"failing verifier", []string{"Bearer unlucky"}, list, "", 503, ""},
		{"panicking verifier", []string{"Bearer cursed"}, list, "", 503, ""},
		{"verifier without a principal", []string{"Bearer nameless"}, list, "", 500, ""},
	}
	server := serve(t, notes(t, nil), protection(t, nil), streamhttp.AllowHosts("mcp.example.com"))
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			method := "tools/list"
			if test.tool != "" {
				method = "tools/call"
			}
			if strings.Contains(test.body, "discover") {
				method = "server/discover"
			}
			response := server.doWith(t, test.body, heading(method, test.tool), test.authorization)
			body := bodyOf(t, response)
			if response.status != test.status {
				t.Errorf("status %d, want %d: %s", response.status, test.status, body)
			}
			got := response.header.Values("Www-Authenticate")
			if test.challenge == "" && len(got) > 0 || test.challenge != "" && (len(got) != 1 || !strings.HasPrefix(got[0], test.challenge)) {
				t.Errorf("challenge %q, want %q", got, test.challenge)
			}
			if !json.Valid([]byte(body)) || response.status != 200 && strings.Contains(body, "ada") {
				t.Errorf("body: %s", body)
			}
		})
	}
}

// doWith posts a message with these Authorization headers.
func (m *memory) doWith(t *testing.T, body string, header map[string]string, authorization []string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/mcp?access_token=ada", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header["Authorization"] = authorization
	response, err := m.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return answer{response.StatusCode, response.Header, response.Body, response.Close}
}

// TestTokenInQuery: a valid token in the query is ignored. doWith adds it to every request, also in TestProtected.
func TestTokenInQuery(t *testing.T) {
	t.Parallel()
	t.Run("T-AUTH-03 a token in the query", func(t *testing.T) {
		t.Parallel()
		server := serve(t, notes(t, nil), protection(t, nil))
		if got := server.doWith(t, modern("1", "tools/list", ""), heading("tools/list", ""), nil); got.status != http.StatusUnauthorized {
			t.Errorf("status %d, want 401", got.status)
		}
	})
}

// TestRequiredScopes: without the required scopes, every request is refused with a challenge that names them.
func TestRequiredScopes(t *testing.T) {
	t.Parallel()
	server := serve(t, notes(t, nil), protection(t, func(r *streamhttp.ProtectedResource) {
		r.Scopes, r.Required = nil, []string{"mcp", "notes:read"}
	}))
	knows := func(response answer, status int, part string) {
		t.Helper()
		if got := response.header.Get("Www-Authenticate"); response.status != status || !strings.Contains(got, part) {
			t.Errorf("status %d, challenge %q; want %d and %s", response.status, got, status, part)
		}
	}
	list := modern("1", "tools/list", "")
	knows(server.do(t.Context(), http.MethodPost, list, heading("tools/list", "")), 401, `scope="mcp notes:read"`)
	knows(server.do(t.Context(), http.MethodPost, list, with("ada", heading("tools/list", ""))), 403, `error="insufficient_scope", error_description="the token lacks a scope that every request needs", resource_metadata="`+metadataURL+`", scope="mcp notes:read"`)
}

// location matches the position of the call of Protect.
var location = regexp.MustCompile(`at \S*/protect_test\.go:\d+`)

// TestTokensAreNotLogged: the log never contains the token, even if the verifier's error does.
func TestTokensAreNotLogged(t *testing.T) {
	t.Parallel()
	var log syncbuffer.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	server := serve(t, notes(t, logger), protection(t, nil))
	tests := []struct{ name, token, want string }{
		{"T-AUTH-14 a valid token", "c2VjcmV0Lz8=", "by=ada"},
		{"T-AUTH-14 an unknown token", "bm90aGluZw==", "reason="},
		{"T-AUTH-14 a token in a URL", "unlucky+bm90aGluZw==", "no route to host"},
		{"T-AUTH-14 a token without principal", "nameless", "level=ERROR msg=\"access token refused\" status=500 reason=\"the TokenVerifier that was passed to streamhttp.Protect at FILE returned a Token without a Principal and no error: set Principal to the user or client that the token was issued to, or return streamhttp.ErrInvalidToken\""},
		{"T-AUTH-14 a token without audience", "for-nobody", "level=DEBUG msg=\"access token refused\" status=401 reason=\"the TokenVerifier that was passed to streamhttp.Protect at FILE returned a Token without an Audience"},
		{"T-AUTH-14 a token for another resource", "elsewhere", `reason="the token was issued for [\"https://other.example.com/mcp\"], and not for https://mcp.example.com/mcp; if the issuer`},
		{"T-AUTH-14 a panic", "cursed", "the TokenVerifier that was passed to streamhttp.Protect at FILE panicked: with the token [token]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			response := server.do(t.Context(), http.MethodPost, modern("1", "tools/call", `,"name":"whoami"`), with(test.token, heading("tools/call", "whoami")))
			body := bodyOf(t, response)
			for _, place := range []string{log.String(), body, fmt.Sprint(response.header)} {
				if strings.Contains(place, test.token) {
					t.Errorf("the token is contained in: %s", place)
				}
			}
			if got := location.ReplaceAllString(log.String(), "at FILE"); !strings.Contains(got, test.want) {
				t.Errorf("the log lacks %s: %s", test.want, got)
			}
		})
	}
}

// TestTokenIsNotPassedOn: T-AUTH-13, the context of a tool does not contain the token.
func TestTokenIsNotPassedOn(t *testing.T) {
	t.Parallel()
	t.Run("T-AUTH-13 context of a tool", func(t *testing.T) {
		t.Parallel()
		srv := notes(t, nil)
		known := make(chan string, 1)
		tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (mcptool.Text, error) {
			known <- fmt.Sprintf("%+v %+v", mcptool.Caller(ctx), ctx)
			return mcptool.Text{}, nil
		}, mcptool.Name("look"))
		if err == nil {
			err = srv.Tools.Add(tool)
		}
		if err != nil {
			t.Fatal(err)
		}
		server := serve(t, srv, protection(t, nil))
		server.do(t.Context(), http.MethodPost, modern("1", "tools/call", `,"name":"look"`), with("c2VjcmV0Lz8=", heading("tools/call", "look")))
		if got := <-known; strings.Contains(got, "c2VjcmV0Lz8") || !strings.Contains(got, "ada") {
			t.Errorf("context of the tool: %s", got)
		}
	})
}

// TestUnprotected: without authentication, tools that need scopes are hidden, and calling one is not answered with a
// challenge.
func TestUnprotected(t *testing.T) {
	t.Parallel()
	server := serve(t, notes(t, nil))
	list := modern("1", "tools/list", "")
	if got := toolNames(t, server.do(t.Context(), http.MethodPost, list, with("admin", heading("tools/list", "")))); !slices.Equal(got, []string{"whoami"}) {
		t.Errorf("listed %q", got)
	}
	session := server.begin("2025-11-25")
	for name, response := range map[string]answer{
		"modern": server.call(t.Context(), "delete_user", "{}"),
		"legacy": session.send(t.Context(), request("1", "tools/call", `"name":"delete_user"`)),
	} {
		body := bodyOf(t, response)
		if _, code := answerOf(t, body); response.status != 200 || code != -32602 || response.header.Get("Www-Authenticate") != "" || !strings.Contains(body, "unknown tool") {
			t.Errorf("%s: status %d, %s", name, response.status, body)
		}
	}
}

// TestWithAccess: T-AUTH-17, the program may authenticate its callers itself.
func TestWithAccess(t *testing.T) {
	t.Parallel()
	t.Run("T-AUTH-17 by a header of a proxy", func(t *testing.T) {
		t.Parallel()
		handler := newHandler(t, notes(t, nil))
		server := serveHandlerAt(t, loopback, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if user := r.Header.Get("X-User"); user != "" {
				r = r.WithContext(streamhttp.WithAccess(r.Context(), runtime.Access{Principal: user, Scopes: []string{"notes:read"}}))
			}
			handler.ServeHTTP(w, r)
		}))
		as := func(user string, header map[string]string) map[string]string {
			header["X-User"] = user
			return header
		}
		got := toolNames(t, server.do(t.Context(), http.MethodPost, modern("1", "tools/list", ""), as("ada", heading("tools/list", ""))))
		if !slices.Equal(got, []string{"list_notes", "whoami"}) {
			t.Errorf("listed %q", got)
		}
		response := server.do(t.Context(), http.MethodPost, modern("1", "tools/call", `,"name":"delete_user"`), as("ada", heading("tools/call", "delete_user")))
		if body := bodyOf(t, response); response.status != 200 || !strings.Contains(body, "unknown tool") {
			t.Errorf("status %d: %s", response.status, body)
		}
		began := server.do(t.Context(), http.MethodPost, hello("2025-11-25"), as("ada", map[string]string{}))
		for user, status := range map[string]int{"ada": 200, "bob": 404, "": 404} {
			header := as(user, map[string]string{"Mcp-Session-Id": began.header.Get("Mcp-Session-Id")})
			if response := server.do(t.Context(), http.MethodPost, request("1", "ping", ""), header); response.status != status {
				t.Errorf("the session of ada, used by %q: status %d, want %d", user, response.status, status)
			}
		}
	})
}

// TestClientAddress: a verifier gets the address of the peer, or the one set by the program.
func TestClientAddress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, peer string
		access     *runtime.Access
		want       string
	}{
		{"peer", "192.0.2.7:4711", nil, "192.0.2.7"},
		{"IPv6", "[2001:db8::1]:80", nil, "2001:db8::1"},
		{"set", "127.0.0.1:4711", &runtime.Access{Address: netip.MustParseAddr("192.0.2.8")}, "192.0.2.8"},
		{"not set", "192.0.2.7:4711", &runtime.Access{Principal: "proxy"}, "192.0.2.7"},
		{"not a network connection", "@", nil, "invalid IP"},
	} {
		var got netip.Addr
		guard, err := streamhttp.Protect(func(ctx context.Context, _ string) (streamhttp.Token, error) {
			got = streamhttp.ClientAddress(ctx)
			return streamhttp.Token{}, streamhttp.ErrInvalidToken
		}, streamhttp.ProtectedResource{Resource: resource, AuthorizationServers: []string{"https://auth.example.com"}})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodPost, resource, strings.NewReader("{}"))
		r.RemoteAddr = test.peer
		r.Header.Set("Authorization", "Bearer x")
		if test.access != nil {
			r = r.WithContext(streamhttp.WithAccess(r.Context(), *test.access))
		}
		newHandler(t, notes(t, slog.New(slog.DiscardHandler)), guard).ServeHTTP(httptest.NewRecorder(), r)
		if got.String() != test.want {
			t.Errorf("%s: got %v, want %s", test.name, got, test.want)
		}
	}
	if got := streamhttp.ClientAddress(t.Context()); got.IsValid() {
		t.Errorf("without a request: got %v", got)
	}
}

// TestVerifierIsBounded: a verifier that hangs is cancelled after 10s. If the client disconnects first, nothing is
// logged.
func TestVerifierIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log syncbuffer.Buffer
		guard, err := streamhttp.Protect(func(ctx context.Context, _ string) (streamhttp.Token, error) {
			<-ctx.Done()
			return streamhttp.Token{}, ctx.Err()
		}, streamhttp.ProtectedResource{Resource: resource, AuthorizationServers: []string{"https://auth.example.com"}})
		if err != nil {
			t.Fatal(err)
		}
		server := serve(t, notes(t, slog.New(slog.NewTextHandler(&log, nil))), guard)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1/mcp", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer unanswered")
		if response, err := server.client.Do(r); !errors.Is(err, context.DeadlineExceeded) {
			response.Body.Close()
			t.Errorf("got error %v, want context.DeadlineExceeded", err)
		}
		synctest.Wait()
		if log.String() != "" {
			t.Errorf("log after the client disconnected: %s", log.String())
		}
		start := time.Now()
		response := server.do(t.Context(), http.MethodPost, "{}", with("unanswered", map[string]string{}))
		if waited := time.Since(start); response.status != http.StatusServiceUnavailable || waited != 10*time.Second {
			t.Errorf("status %d after %v", response.status, waited)
		}
		if !strings.Contains(log.String(), "deadline exceeded") {
			t.Errorf("log: %s", log.String())
		}
	})
}
