package streamhttp_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// TestContextValues: context values set by middleware are available to calls and conditions, with and without a session.
// In a session, the context of a call outlives the request.
func TestContextValues(t *testing.T) {
	t.Parallel()
	type tenant struct{}
	srv := fixtureServer(t, nil)
	tenantOf := func(ctx context.Context) string { name, _ := ctx.Value(tenant{}).(string); return "tenant " + name }
	addTool(t, srv, "tenant", func(ctx context.Context) string { return tenantOf(ctx) })
	addTool(t, srv, "derived", func(ctx context.Context) string {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if err := ctx.Err(); err != nil {
			return err.Error()
		}
		return tenantOf(ctx)
	})
	timed, err := mcptool.New(func(ctx context.Context, _ struct{}) (string, error) { return tenantOf(ctx), nil }, mcptool.Name("timed"), mcptool.Timeout(1<<40))
	if err != nil {
		t.Fatal(err)
	}
	if err := srv.Tools.Add(timed); err != nil {
		t.Fatal(err)
	}
	hidden, err := mcptool.New(func(context.Context, struct{}) (string, error) { return "tenant acme", nil }, mcptool.Name("ours"),
		mcptool.VisibleIf(func(ctx context.Context, _ mcptool.CallInfo) bool { return tenantOf(ctx) == "tenant acme" }))
	if err == nil {
		err = srv.Tools.Add(hidden)
	}
	if err != nil {
		t.Fatal(err)
	}
	handler := newHandler(t, srv)
	server := serveHandlerAt(t, loopback, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), tenant{}, r.Header.Get("Tenant"))))
	}))
	session := server.begin("2025-11-25")
	batches := server.begin("2025-03-26")
	for _, tool := range []string{"tenant", "derived", "timed", "ours"} {
		call := request("1", "tools/call", `"name":"`+tool+`","arguments":{}`)
		for _, test := range []struct {
			name, body string
			header     map[string]string
		}{
			{"modern", modern("1", "tools/call", `,"name":"`+tool+`","arguments":{}`), map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": tool, "MCP-Protocol-Version": "2026-07-28"}},
			{"a session", call, map[string]string{"Mcp-Session-Id": session.id}},
			{"a batch", "[" + call + "]", map[string]string{"Mcp-Session-Id": batches.id}},
			{"no session", call, map[string]string{"MCP-Protocol-Version": "2025-06-18"}},
		} {
			test.header["Tenant"] = "acme"
			response := server.do(t.Context(), http.MethodPost, test.body, test.header)
			if body := bodyOf(t, response); !strings.Contains(body, "tenant acme") {
				t.Errorf("%s, %s: %s", test.name, tool, body)
			}
			test.header["Tenant"] = "globex"
			response = server.do(t.Context(), http.MethodPost, test.body, test.header)
			if body := bodyOf(t, response); strings.Contains(body, "tenant acme") || tool == "ours" != strings.Contains(body, "unknown tool") {
				t.Errorf("%s, %s of another tenant: %s", test.name, tool, body)
			}
		}
	}
}
