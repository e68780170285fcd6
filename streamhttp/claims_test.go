package streamhttp_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/syncbuffer"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// TestClaims: AUTH-17, a tool gets the claims of the token of its call, also in a session that another token began.
func TestClaims(t *testing.T) {
	t.Parallel()
	var log syncbuffer.Buffer
	srv := &runtime.Server{Name: "notes", Version: "1", Tools: &mcptool.Registry{}, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	srv.Observer = audit.New(srv.Logger)
	tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (mcptool.Text, error) {
		var claims struct{ Tenant string }
		if text := mcptool.Caller(ctx).Claims; text != nil {
			if err := json.Unmarshal(text, &claims); err != nil {
				return mcptool.Text{}, err
			}
		}
		return mcptool.Text{Text: "tenant <" + claims.Tenant[:min(len(claims.Tenant), 3)] + ">"}, nil
	}, mcptool.Name("whoami"))
	if err == nil {
		err = srv.Tools.Add(tool)
	}
	if err != nil {
		t.Fatal(err)
	}
	server := serve(t, srv, streamhttp.StaticTokens(map[string]streamhttp.Token{
		"one":   {Principal: "ada", Claims: json.RawMessage(`{"tenant":"one-secret"}`)},
		"two":   {Principal: "ada", Claims: json.RawMessage(` {"tenant":"two-secret"}`)},
		"three": {Principal: "ada"},
	}))
	began := server.do(t.Context(), http.MethodPost, hello("2025-11-25"), with("one", map[string]string{}))
	session := began.header.Get("Mcp-Session-Id")
	bodyOf(t, began)
	for token, want := range map[string]string{"one": "tenant <one>", "two": "tenant <two>", "three": "tenant <>"} {
		for name, response := range map[string]answer{
			"modern":  server.do(t.Context(), http.MethodPost, modern("1", "tools/call", `,"name":"whoami"`), with(token, heading("tools/call", "whoami"))),
			"session": server.do(t.Context(), http.MethodPost, request("1", "tools/call", `"name":"whoami"`), with(token, map[string]string{"Mcp-Session-Id": session})),
		} {
			body := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(bodyOf(t, response))
			if response.status != http.StatusOK || !strings.Contains(body, want) {
				t.Errorf("%s, %s: status %d, %s; want %s", token, name, response.status, body, want)
			}
		}
	}
	if text := log.String(); strings.Contains(text, "secret") || !strings.Contains(text, "principal=ada") {
		t.Errorf("the log contains claims: %s", text)
	}
}

// TestWithAccessClaims: claims set by middleware reach tools, with and without a principal.
func TestWithAccessClaims(t *testing.T) {
	t.Parallel()
	srv := &runtime.Server{Name: "notes", Version: "1", Tools: &mcptool.Registry{}}
	tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (mcptool.Text, error) {
		return mcptool.Text{Text: string(mcptool.Caller(ctx).Claims)}, nil
	}, mcptool.Name("whoami"))
	if err == nil {
		err = srv.Tools.Add(tool)
	}
	if err != nil {
		t.Fatal(err)
	}
	handler := newHandler(t, srv)
	for _, principal := range []string{"ada", ""} {
		server := serveHandlerAt(t, loopback, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			access := runtime.Access{Principal: principal, Claims: json.RawMessage(`{"unit":7}`)}
			handler.ServeHTTP(w, r.WithContext(streamhttp.WithAccess(r.Context(), access)))
		}))
		response := server.do(t.Context(), http.MethodPost, modern("1", "tools/call", `,"name":"whoami"`), heading("tools/call", "whoami"))
		if body := bodyOf(t, response); !strings.Contains(body, `{\"unit\":7}`) {
			t.Errorf("principal %q: status %d, %s", principal, response.status, body)
		}
	}
}
