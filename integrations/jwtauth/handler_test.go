package jwtauth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcptool-go/mcptool/integrations/jwtauth"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// endpoint is a handler that requires tokens of an authority.
type endpoint struct {
	http.Handler
	log bytes.Buffer
}

// protect returns an endpoint with the tool write_note, which needs two scopes.
func protect(t *testing.T, verify streamhttp.TokenVerifier) *endpoint {
	t.Helper()
	guard, err := streamhttp.Protect(verify, streamhttp.ProtectedResource{
		Resource: resource, AuthorizationServers: []string{issuerURL}, Scopes: []string{"notes:read"}, Required: []string{"mcp"},
	})
	if err != nil {
		t.Fatal(err)
	}
	tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (string, error) { return mcptool.Caller(ctx).Principal, nil },
		mcptool.Name("write_note"), mcptool.Scopes("notes:read", "notes:write"))
	if err != nil {
		t.Fatal(err)
	}
	e := &endpoint{}
	srv := &runtime.Server{Name: "notes", Version: "1", Tools: &mcptool.Registry{}, Logger: slog.New(slog.NewTextHandler(&e.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	if err := srv.Tools.Add(tool); err != nil {
		t.Fatal(err)
	}
	handler, err := streamhttp.NewHandler(srv, guard)
	if err != nil {
		t.Fatal(err)
	}
	e.Handler = handler
	return e
}

// post posts a message with a token.
func (e *endpoint) post(t *testing.T, token, body string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, resource, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	return w
}

// stream opens the event stream of a session for up to two hours, and returns how long it lasted.
func (e *endpoint) stream(t *testing.T, token, session string) time.Duration {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, resource, nil)
	for name, value := range map[string]string{
		"Accept": "text/event-stream", "Mcp-Session-Id": session, "Mcp-Protocol-Version": "2025-11-25", "Authorization": "Bearer " + token,
	} {
		r.Header.Set(name, value)
	}
	start := time.Now()
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Errorf("the stream has status %d: %s", w.Code, w.Body)
	}
	return time.Since(start)
}

// close shuts the handler down.
func (e *endpoint) close(t *testing.T) {
	t.Helper()
	if h, ok := e.Handler.(*streamhttp.Handler); !ok || h.Shutdown(t.Context()) != nil {
		t.Error("not shut down")
	}
}

const (
	list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write_note","arguments":{}}}`
)

// TestRejections: each rejection has the status and the challenge that let a client continue, and
// reveals no reason.
func TestRejections(t *testing.T) {
	t.Parallel()
	const (
		metadata  = `resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"`
		scopes    = `, scope="mcp notes:read"`
		malformed = `Bearer error="invalid_token", error_description="the token is not valid", ` + metadata + scopes
	)
	tests := []struct {
		name      string
		claims    map[string]any
		body      string
		status    int
		challenge string
	}{
		{"valid", map[string]any{"scope": "mcp"}, list, 200, ""},
		{"AUTH-16 a call with all scopes", map[string]any{"scope": "mcp notes:read notes:write"}, call, 200, ""},
		{"AUTH-07 another issuer", map[string]any{"iss": "https://evil.example.com"}, list, 401, malformed},
		{"AUTH-05 AUTH-07 expired", map[string]any{"exp": -time.Hour}, list, 401, malformed},
		{"AUTH-03 AUTH-19 another audience", map[string]any{"aud": "https://other.example.com/mcp"}, list, 401, `Bearer error="invalid_token", error_description="the token was not issued for this resource", ` + metadata + scopes},
		{"AUTH-03 no audience", map[string]any{"aud": nil}, list, 401, malformed},
		{"a scope that every request needs", map[string]any{"scope": "notes:read"}, list, 403, `Bearer error="insufficient_scope", error_description="the token lacks a scope that every request needs", ` + metadata + `, scope="mcp"`},
		{"AUTH-16 a scope that the tool needs", map[string]any{"scope": "mcp notes:read"}, call, 403, `Bearer error="insufficient_scope", error_description="the tool needs scopes that the token lacks", ` + metadata + `, scope="mcp notes:read notes:write"`},
	}
	a := newAuthority(t, issuerURL)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := protect(t, a.verifier(t, nil).Verify)
			for _, host := range []string{"mcp.example.com", "other.example.com"} { // AUTH-19
				w := e.post(t, a.token(t, test.claims), test.body, "Host", host)
				if got := w.Header().Get("Www-Authenticate"); w.Code != test.status || got != test.challenge {
					t.Errorf("status %d, challenge %s; want %d, %s", w.Code, got, test.status, test.challenge)
				}
			}
		})
	}
	t.Run("no token", func(t *testing.T) {
		t.Parallel()
		w := protect(t, a.verifier(t, nil).Verify).post(t, "", list)
		if got := w.Header().Get("Www-Authenticate"); w.Code != 401 || got != "Bearer "+metadata+scopes {
			t.Errorf("status %d, challenge %s", w.Code, got)
		}
	})
}

// TestUnavailable: AUTH-10, without the issuer the status is 503 with the time to wait, and no
// challenge: another token would not help.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*jwtauth.Options){"AUTH-10 keys": nil, "AUTH-10 introspection": introspection} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := newAuthority(t, issuerURL)
				e := protect(t, a.verifier(t, change).Verify)
				a.fail(slow)
				text := a.login(t, "mcp")
				if change == nil {
					text = a.token(t, nil)
				}
				for _, want := range []string{"5", "3"} {
					w := e.post(t, text, list)
					if w.Code != 503 || w.Header().Get("Retry-After") != want || w.Header().Get("Www-Authenticate") != "" {
						t.Errorf("status %d, %v", w.Code, w.Header())
					}
					time.Sleep(2 * time.Second)
				}
				// The reason is in the warning about the fetch, see TestMadeUpTokensInLog.
				if log := e.log.String(); strings.Count(log, "level=DEBUG") != 2 || strings.Contains(log, text) || strings.Contains(log, "well-known") {
					t.Errorf("the log has %s", log)
				}
			})
		})
	}
}

// TestMadeUpTokensInLog: clients without a valid token cannot fill the log, whatever the issuer does: each outage has
// one warning, and one record at its end.
func TestMadeUpTokensInLog(t *testing.T) {
	t.Parallel()
	madeUp := func(i int) string {
		return sign(t, signingKey{id: fmt.Sprint("made-up-", i), private: rsaKeys[2], alg: jose.RS256}, "at+jwt", claims(nil))
	}
	lookAway := func(r *http.Request) (*http.Response, error) { // the issuer fails only for this kind of token
		text, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(text))
		if bytes.Contains(text, []byte("harmful")) {
			return answers("", http.StatusBadRequest, "")(r)
		}
		return nil, nil
	}
	for _, test := range []struct {
		name        string
		change      func(*jwtauth.Options)
		token       func(i int) string
		fail        func(*http.Request) (*http.Response, error)
		warn, infos int // the latter after the outage
	}{
		{"keys", nil, madeUp, nil, 0, 0},
		{"keys of an issuer that is down", nil, madeUp, down, 1, 1},
		{"keys of an issuer that withdraws all", nil, madeUp, answers(keysPath, http.StatusOK, `{"keys":[]}`), 1, 0},
		{"introspection", introspection, func(i int) string { return fmt.Sprint("made-up-", i) }, nil, 0, 0},
		{"introspection by an issuer that is down", introspection, func(i int) string { return fmt.Sprint("made-up-", i) }, down, 1, 1},
		{"introspection that fails for some", introspection, func(i int) string { return []string{"harmful", "harmless"}[i%2] + fmt.Sprint(i) }, lookAway, 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := newAuthority(t, issuerURL)
				log, option := logged()
				e := protect(t, a.verifier(t, func(o *jwtauth.Options) {
					if option(o); test.change != nil {
						test.change(o)
					}
				}).Verify)
				valid := a.token(t, nil)
				if test.change != nil {
					valid = a.login(t, "mcp")
				}
				if w := e.post(t, valid, list); w.Code == 503 {
					t.Errorf("status %d: %s", w.Code, w.Body)
				}
				a.fail(test.fail)
				for i := range 20 { // some of them during the pause after a failure
					time.Sleep(time.Second)
					e.post(t, test.token(i), list)
				}
				a.fail(nil)
				time.Sleep(5 * time.Second)
				e.post(t, test.token(20), list)
				synctest.Wait()
				text := e.log.String() + log.String()
				if warns, infos := strings.Count(text, "level=WARN"), strings.Count(text, "level=INFO"); warns != test.warn || infos != test.infos || strings.Contains(text, "level=ERROR") {
					t.Errorf("%d warnings, want %d; %d infos, want %d: %s", warns, test.warn, infos, test.infos, text)
				}
			})
		})
	}
}

// TestRealTokens: calls with tokens of the provider, verified in both ways.
func TestRealTokens(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*jwtauth.Options){
		"JWT": func(o *jwtauth.Options) { o.AllowUntyped = true }, "introspection": introspection,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAuthority(t, issuerURL)
			a.jwts = name == "JWT"
			e := protect(t, a.verifier(t, change).Verify)
			if w := e.post(t, a.login(t, "mcp", "notes:read", "notes:write"), call); w.Code != 200 || !strings.Contains(w.Body.String(), issuerURL+"#sid1") {
				t.Errorf("status %d: %s", w.Code, w.Body)
			}
			if w := e.post(t, a.login(t, "mcp"), call); w.Code != 403 {
				t.Errorf("status %d: %s", w.Code, w.Body)
			}
		})
	}
}

// TestSessions: AUTH-18, a session belongs to the user of one issuer, whatever token they use, and
// its stream ends with its token.
func TestSessions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := newAuthority(t, issuerURL), newAuthority(t, "https://login.example.org")
		v, w := ours.verifier(t, nil), theirs.verifier(t, func(o *jwtauth.Options) { o.Client = &http.Client{Transport: elsewhere{theirs}} })
		either := func(ctx context.Context, token string) (streamhttp.Token, error) {
			granted, err := v.Verify(ctx, token)
			if err != nil {
				granted, err = w.Verify(ctx, token)
			}
			return granted, err
		}
		e := protect(t, either)
		mcp := map[string]any{"scope": "mcp"}
		began := e.post(t, ours.token(t, mcp), `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
		session := began.Header().Get("Mcp-Session-Id")
		if began.Code != 200 || session == "" {
			t.Fatalf("status %d: %s", began.Code, began.Body)
		}
		for _, test := range []struct {
			who    string
			token  string
			status int
		}{
			{"the same user with another token", ours.token(t, map[string]any{"scope": "mcp", "jti": "t2"}), 200},
			{"another user", ours.token(t, map[string]any{"scope": "mcp", "sub": "u2"}), 404},
			{"a client of the name", ours.token(t, map[string]any{"scope": "mcp", "sub": nil, "client_id": "u1"}), 404},
			{"a user of another issuer", theirs.token(t, map[string]any{"scope": "mcp", "iss": theirs.issuer}), 404},
		} {
			if w := e.post(t, test.token, list, "Mcp-Session-Id", session); w.Code != test.status {
				t.Errorf("%s: status %d, want %d: %s", test.who, w.Code, test.status, w.Body)
			}
		}
		if lasted := e.stream(t, ours.token(t, map[string]any{"scope": "mcp", "exp": time.Minute}), session); lasted != time.Minute+30*time.Second {
			t.Errorf("the stream lasted %v", lasted)
		}
		e.close(t)
	})
}

// elsewhere serves the keys of an authority on another host.
type elsewhere struct{ *authority }

func (e elsewhere) RoundTrip(r *http.Request) (*http.Response, error) {
	body := `{"issuer":"` + e.issuer + `","jwks_uri":"` + e.issuer + `/keys"}`
	if strings.HasSuffix(r.URL.Path, "/keys") {
		text, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: rsaKeys[0].Public(), KeyID: "k1"}}})
		if err != nil {
			return nil, err
		}
		body = string(text)
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}
