package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcptool-go/mcptool/runtime"
)

// serve runs the program with a database in dir until stop, which returns the audit records.
func serve(t *testing.T, dir string, configure ...func(*config)) (url string, stop func() (audited []string)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	logged, log := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		c := config{
			dir: dir, orders: testOrders, addr: "127.0.0.1:0", delay: 100 * time.Millisecond,
			tokens: "s3cret ada orders:read orders:export",
		}
		for _, set := range configure {
			set(&c)
		}
		err := run(ctx, c, slog.New(slog.NewJSONHandler(log, nil)))
		_ = log.Close()
		ended <- err
	}()
	lines := bufio.NewScanner(logged)
	for url == "" {
		if !lines.Scan() {
			t.Fatal(<-ended)
		}
		var record struct{ URL string }
		if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
			t.Fatal(err)
		}
		url = record.URL
	}
	audited := make(chan []string)
	go func() {
		var records []string
		for lines.Scan() {
			if strings.Contains(lines.Text(), `"msg":"tool called"`) {
				records = append(records, lines.Text())
			}
		}
		audited <- records
	}()
	return url, func() []string {
		cancel()
		records := <-audited
		if err := <-ended; err != nil {
			t.Error(err)
		}
		return records
	}
}

// post sends a call of revision 2026-07-28 with a static token, and returns the answer.
func post(ctx context.Context, url, tool, args string) (answer string, err error) {
	return postAs(ctx, "s3cret", url, tool, args)
}

func postAs(ctx context.Context, token, url, tool, args string) (answer string, err error) {
	const meta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":%s,"name":%q,"arguments":%s}}`, meta, tool, args)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + token,
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	return res.Status + " " + string(text), err
}

// TestShutdown ends the program under load, as SIGTERM does. Every call that has begun gets its response, and orders
// and exports are available after the next start.
func TestShutdown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url, stop := serve(t, dir)
	var clients sync.WaitGroup
	var answered atomic.Int64
	enough := make(chan struct{})
	for i := range 8 {
		clients.Go(func() {
			for n := i; ; n += 8 {
				id := 1 + n%testOrders
				answer, err := post(t.Context(), url, "get_order", fmt.Sprintf(`{"id":%d}`, id))
				if err != nil || strings.Contains(answer, "shutting down") {
					break
				}
				if !strings.Contains(answer, fmt.Sprintf(`"structuredContent":{"id":%d,`, id)) {
					t.Errorf("order %d: %.300s", id, answer)
				}
				if answered.Add(1) == 200 {
					close(enough)
				}
			}
		})
	}
	<-enough
	if answer, err := post(t.Context(), url, "export_orders", `{"year":2024}`); err != nil || !strings.Contains(answer, exportPrefix) {
		t.Errorf("an export: %.300s, %v", answer, err)
	}
	audited := stop()
	clients.Wait()
	if n := int(answered.Load()) + 1; len(audited) != n {
		t.Errorf("%d calls ran, %d were answered", len(audited), n)
	}
	url, stop = serve(t, dir)
	if answer, err := post(t.Context(), url, "get_order", `{"id":1}`); err != nil || !strings.Contains(answer, `"structuredContent":{"id":1,`) {
		t.Errorf("after a restart: %.300s, %v", answer, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "exports", "orders-2024.csv")); err != nil {
		t.Error(err)
	}
	stop()
}

// TestSession checks that a session survives a restart.
func TestSession(t *testing.T) {
	t.Parallel()
	dir, session := t.TempDir(), ""
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"ping"}`,
	} {
		url, stop := serve(t, dir)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{
			"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer s3cret"},
		}
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if session += res.Header.Get("Mcp-Session-Id"); res.StatusCode != http.StatusOK || session == "" {
			t.Errorf("%s: %s, session %q", body, res.Status, session)
		}
		stop()
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for lines, want := range map[string]string{"": "TOKENS must have", "s3cret": "a line is a token", "s3cret ada orders:read\n\nother ben": ""} {
		_, err := staticTokens(lines)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", lines, err)
		}
	}
}

// TestIssuer calls tools with JWTs: only tokens of the issuer for this server are accepted, for the tools of their scopes.
func TestIssuer(t *testing.T) {
	t.Parallel()
	const audience = "https://orders.example.com/mcp"
	issuer := newIssuer(t)
	url, stop := serve(t, t.TempDir(), func(c *config) { c.tokens, c.issuer, c.public = "", issuer.URL, audience })
	for name, test := range map[string]struct{ token, tool, want string }{
		"valid":          {issuer.token(t, audience, "orders:read"), "get_order", `"structuredContent":{"id":1,`},
		"other scope":    {issuer.token(t, audience, "orders:export"), "get_order", "403 Forbidden"},
		"other audience": {issuer.token(t, "https://other.example.com/mcp", "orders:read"), "get_order", "401 Unauthorized"},
		"static":         {"s3cret", "get_order", "401 Unauthorized"},
		"other key":      {newIssuer(t).tokenOf(t, issuer.URL, audience, "orders:read"), "get_order", "401 Unauthorized"},
	} {
		answer, err := postAs(t.Context(), test.token, url, test.tool, `{"id":1}`)
		if err != nil || !strings.Contains(answer, test.want) {
			t.Errorf("%s: %.300s, %v", name, answer, err)
		}
	}
	if audited := stop(); len(audited) != 2 { // also the one without the scope
		t.Errorf("%d calls in the audit, want 2", len(audited))
	}
}

// TestAudit checks that the audit log has the arguments of the tools that need it.
func TestAudit(t *testing.T) {
	t.Parallel()
	url, stop := serve(t, t.TempDir(), func(c *config) { c.tokens = "s3cret ada orders:read orders:refund orders:sql" })
	for tool, args := range map[string]string{
		"get_order": `{"id":1}`, "query_orders": `{"sql":"SELECT 1 AS a"}`, "refund_order": `{"id":1,"reason":"broken"}`,
	} {
		if _, err := post(t.Context(), url, tool, args); err != nil {
			t.Error(err)
		}
	}
	audit := strings.Join(stop(), "\n")
	for text, want := range map[string]int{
		`"tool":"`: 3, `"arguments":`: 2, `SELECT 1 AS a`: 1, `broken`: 1,
	} {
		if n := strings.Count(audit, text); n != want {
			t.Errorf("%s occurs %d times, want %d: %s", text, n, want, audit)
		}
	}
}

// TestOrigins checks that only web pages of the listed origins can use the server.
func TestOrigins(t *testing.T) {
	t.Parallel()
	url, stop := serve(t, t.TempDir(), func(c *config) { c.pages = "https://app.example.com https://desk.example.com" })
	for origin, want := range map[string]string{"https://desk.example.com": "https://desk.example.com", "https://other.example.com": ""} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Origin", origin)
		req.Header.Set("Access-Control-Request-Method", http.MethodPost)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if got := res.Header.Get("Access-Control-Allow-Origin"); got != want {
			t.Errorf("%s: %s, allowed %q, want %q", origin, res.Status, got, want)
		}
	}
	stop()
}

// TestAccess checks what is reported if access cannot be checked.
func TestAccess(t *testing.T) {
	t.Parallel()
	srv := &runtime.Server{Name: "orders", Version: "1.0.0"}
	for want, c := range map[string]config{
		"set one of them":    {issuer: "https://auth.example.com", tokens: "s3cret ada"},
		"PUBLIC_URL":         {issuer: "https://auth.example.com"},
		"Issuer \"ftp://x\"": {issuer: "ftp://x", public: "https://orders.example.com/mcp"},
		"TOKENS must have":   {},
	} {
		if err := serveHTTP(t.Context(), c, srv); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// issuer is an authorization server that publishes its key, and issues any token.
type issuer struct {
	*httptest.Server
	private *ecdsa.PrivateKey
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]string{"issuer": server.URL, "jwks_uri": server.URL + "/keys"})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: private.Public(), KeyID: "k1"}}})
	})
	return &issuer{server, private}
}

func (i *issuer) token(t *testing.T, audience, scope string) string {
	t.Helper()
	return i.tokenOf(t, i.URL, audience, scope)
}

// tokenOf returns a token of the issuer with this name, with the key of i.
func (i *issuer) tokenOf(t *testing.T, name, audience, scope string) string {
	t.Helper()
	key := jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: i.private, KeyID: "k1"}}
	signer, err := jose.NewSigner(key, (&jose.SignerOptions{}).WithType("at+jwt"))
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.Signed(signer).Claims(jwt.Claims{
		Issuer: name, Subject: "ada", Audience: jwt.Audience{audience}, Expiry: jwt.NewNumericDate(time.Now().Add(time.Hour)),
	}).Claims(map[string]any{"client_id": "c1", "scope": scope}).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}
