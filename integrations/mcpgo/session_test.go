package mcpgo_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/mcptool-go/mcptool/integrations/mcpgo"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// newRequest returns a request to a server over HTTP, a POST unless the body is empty.
func newRequest(t *testing.T, web *httptest.Server, body string) *http.Request {
	t.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(t.Context(), method, web.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	return r
}

// post returns the body of the response.
func post(t *testing.T, web *httptest.Server, body string) string {
	t.Helper()
	res, err := web.Client().Do(newRequest(t, web, body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSharedSession: clients of a stateless transport share a session, so a client that listens to
// it, and has declared capabilities, gets no messages for others, and the others do not get its name.
func TestSharedSession(t *testing.T) {
	t.Parallel()
	registry := new(mcptool.Registry)
	sample := func(ctx context.Context) (string, error) {
		var res mcptool.SampleResult
		err := mcptool.AskAll(ctx, mcptool.SamplePart(&res, mcptool.SampleRequest{Messages: []mcptool.Message{{Role: mcptool.RoleUser, Content: mcptool.Text{Text: "SECRET"}}}, MaxTokens: 10}))
		return res.Text, err
	}
	if err := registry.Add(
		newTool(t, "sample", sample),
		newTool(t, "confirm", func(ctx context.Context) (string, error) { return "", mcptool.Confirm(ctx, "SECRET") }),
		newTool(t, "roots", func(ctx context.Context) (string, error) {
			return "", mcptool.AskAll(ctx, mcptool.RootsPart(new([]mcptool.Root)))
		}),
		newTool(t, "progress", func(ctx context.Context) (string, error) {
			mcptool.Progress(ctx, 1, 2, "SECRET")
			mcptool.Logger(ctx).Error("SECRET")
			return "client: " + mcptool.Caller(ctx).Client.Name, nil
		}),
	); err != nil {
		t.Fatal(err)
	}
	srv := server.NewMCPServer("demo", "1", server.WithLogging())
	s := &runtime.Server{
		Tools: registry, ClientLog: runtime.ClientLogAll, Logger: slog.New(slog.DiscardHandler),
		Limits: runtime.Limits{ClientRequestTimeout: 2 * time.Second}, // this test fails, but does not hang
	}
	if err := mcpgo.Mount(t.Context(), srv, s); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server.NewStreamableHTTPServer(srv, server.WithStateLess(true), server.WithStreamableHTTPLogger(slog.New(slog.DiscardHandler))))
	t.Cleanup(web.Close)
	listening, err := web.Client().Do(newRequest(t, web, ""))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listening.Body.Close() }()
	post(t, web, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"sampling":{},"elicitation":{},"roots":{}},"clientInfo":{"name":"listener","version":"1"}}}`)
	for tool, want := range map[string]string{
		"sample": "does not support a required capability", "confirm": "does not support a required capability",
		"roots": "does not support a required capability", "progress": `client: "`,
	} {
		got := post(t, web, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"`+tool+`","arguments":{},"_meta":{"progressToken":1}}}`)
		if !strings.Contains(got, want) || strings.Contains(got, "SECRET") {
			t.Errorf("%s: got %s, want %s", tool, got, want)
		}
	}
	srv.SendNotificationToAllClients("notifications/last", nil)
	for lines := bufio.NewScanner(listening.Body); lines.Scan() && !strings.Contains(lines.Text(), "notifications/last"); {
		if strings.Contains(lines.Text(), "SECRET") || strings.Contains(lines.Text(), "roots/list") {
			t.Errorf("another client gets %s", lines.Text())
		}
	}
}

// stdioSession is a type of session that the program has defined.
type stdioSession struct{ *server.InProcessSession }

func (stdioSession) SessionID() string { return "stdio" }

// TestTrustedSessions: only clients in the process and over stdio are trusted. TestClient has those
// over stdio.
func TestTrustedSessions(t *testing.T) {
	t.Parallel()
	registry := new(mcptool.Registry)
	if err := registry.Add(newTool(t, "scoped", done, mcptool.Scopes("admin"))); err != nil {
		t.Fatal(err)
	}
	srv := mount(t, registry)
	inProcess := server.NewInProcessSession("a", nil)
	for _, test := range []struct {
		name      string
		session   server.ClientSession
		ctx       context.Context
		isTrusted bool
	}{
		{"none", nil, t.Context(), false},
		{"in the process", inProcess, t.Context(), true},
		{"in the process, for an HTTP request", inProcess, context.WithValue(t.Context(), http.ServerContextKey, new(http.Server)), false},
		{"of the program", stdioSession{inProcess}, t.Context(), false},
		{"of the program, by pointer", &stdioSession{inProcess}, t.Context(), false},
		{"with access", stdioSession{inProcess}, mcpgo.WithAccess(t.Context(), runtime.Access{Scopes: []string{"admin"}}), true},
		{"in the process, with less access", inProcess, mcpgo.WithAccess(t.Context(), runtime.Access{}), false},
	} {
		ctx := test.ctx
		if test.session != nil {
			ctx = srv.WithContext(ctx, test.session)
		}
		_, message, _ := answer(ctx, t, srv, "tools/call", `{"name":"scoped"}`)
		_, _, list := answer(ctx, t, srv, "tools/list", `{}`)
		if (message == "") != test.isTrusted || strings.Contains(list, "scoped") != test.isTrusted {
			t.Errorf("a session %s: the error is %q, the list is %s", test.name, message, list)
		}
	}
}
