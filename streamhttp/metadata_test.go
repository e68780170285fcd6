package streamhttp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/streamhttp"
)

// document returns the response to GET of the metadata at path, and its decoded body.
func document(t *testing.T, p *streamhttp.Protection, path string) (*httptest.ResponseRecorder, map[string]any) {
	t.Helper()
	w := httptest.NewRecorder()
	p.Metadata().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	var members map[string]any
	if w.Code == http.StatusOK {
		if err := json.Unmarshal(w.Body.Bytes(), &members); err != nil {
			t.Fatalf("%v: %s", err, w.Body)
		}
	}
	return w, members
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	full := func(r *streamhttp.ProtectedResource) {
		r.Resource = "HTTPS://MCP.Example.com:443/mcp/"
		r.AuthorizationServers = []string{"https://auth.example.com", "https://auth.example.org/tenant"}
		r.Scopes, r.Required = []string{"notes:read"}, []string{"mcp"}
		r.Name, r.Documentation = "Notes <of all>", "https://example.com/docs?a=1&b=2"
	}
	tests := []struct {
		name   string
		change func(*streamhttp.ProtectedResource)
		want   map[string]any
	}{
		{"T-AUTH-05 minimal", func(r *streamhttp.ProtectedResource) { r.Scopes = nil }, map[string]any{
			"resource": resource, "authorization_servers": []any{"https://auth.example.com"}, "bearer_methods_supported": []any{"header"},
		}},
		{"T-AUTH-15 all fields, canonical URI", full, map[string]any{
			"resource": resource, "authorization_servers": []any{"https://auth.example.com", "https://auth.example.org/tenant"},
			"bearer_methods_supported": []any{"header"}, "scopes_supported": []any{"mcp", "notes:read"},
			"resource_name": "Notes <of all>", "resource_documentation": "https://example.com/docs?a=1&b=2",
		}},
		{"required scopes are listed once", func(r *streamhttp.ProtectedResource) {
			r.Scopes, r.Required = []string{"notes:read", "mcp"}, []string{"mcp"}
		}, map[string]any{
			"resource": resource, "authorization_servers": []any{"https://auth.example.com"},
			"bearer_methods_supported": []any{"header"}, "scopes_supported": []any{"mcp", "notes:read"},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, got := document(t, protection(t, test.change), streamhttp.MetadataPath+"/mcp")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestMetadataPaths: T-AUTH-07, the document is at the root and at the path of the resource, and the challenge contains
// its URL.
func TestMetadataPaths(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, resource, path string
		status               int
	}{
		{"T-AUTH-07 at the root", resource, "/.well-known/oauth-protected-resource", 200},
		{"T-AUTH-07 at the path of the resource", resource, "/.well-known/oauth-protected-resource/mcp", 200},
		{"T-AUTH-07 a slash at the end", resource, "/.well-known/oauth-protected-resource/mcp/", 200},
		{"T-AUTH-07 a slash at the end of the root", resource, "/.well-known/oauth-protected-resource/", 200},
		{"T-AUTH-07 at another path", resource, "/.well-known/oauth-protected-resource/other", 404},
		{"T-AUTH-07 below the path", resource, "/.well-known/oauth-protected-resource/mcp/x", 404},
		{"T-AUTH-07 a resource at the root", "https://mcp.example.com", "/.well-known/oauth-protected-resource", 200},
		{"T-AUTH-07 a resource at the root, with a slash", "https://mcp.example.com/", "/.well-known/oauth-protected-resource", 200},
		{"T-AUTH-07 a deep path", "https://mcp.example.com/a/b%20c", "/.well-known/oauth-protected-resource/a/b%20c", 200},
		{"T-AUTH-07 on loopback", "http://127.0.0.1:8080/mcp", "/.well-known/oauth-protected-resource/mcp", 200},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := protection(t, func(r *streamhttp.ProtectedResource) { r.Resource = test.resource })
			if w, _ := document(t, p, test.path); w.Code != test.status {
				t.Errorf("status %d, want %d", w.Code, test.status)
			}
			// The URL in the challenge returns the document.
			server := serve(t, notes(t, nil), p)
			challenge := server.do(t.Context(), http.MethodPost, "{}", nil).header.Get("Www-Authenticate")
			_, rest, _ := strings.Cut(challenge, `resource_metadata="`)
			url, _, _ := strings.Cut(rest, `"`)
			host := test.resource[:strings.Index(test.resource[8:]+"/", "/")+8]
			path, here := strings.CutPrefix(url, host)
			if w, _ := document(t, p, path); !here || w.Code != 200 {
				t.Errorf("GET of the URL in the challenge, %s: status %d", url, w.Code)
			}
		})
	}
}

// TestMetadataIsPublic: pages of any origin can read the metadata, also after a preflight.
func TestMetadataIsPublic(t *testing.T) {
	t.Parallel()
	p := protection(t, nil)
	tests := []struct {
		method string
		status int
		body   bool
		header map[string]string
	}{
		{"GET", 200, true, map[string]string{"Access-Control-Allow-Origin": "*", "Content-Type": "application/json"}},
		{"HEAD", 200, true, map[string]string{"Access-Control-Allow-Origin": "*", "Content-Type": "application/json"}}, // net/http drops the body
		{"OPTIONS", 204, false, map[string]string{"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS", "Access-Control-Allow-Headers": "*, Authorization"}},
		{"POST", 405, false, map[string]string{"Allow": "GET, HEAD, OPTIONS"}},
	}
	for _, test := range tests {
		t.Run(test.method, func(t *testing.T) {
			t.Parallel()
			w := httptest.NewRecorder()
			p.Metadata().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), test.method, streamhttp.MetadataPath, nil))
			if w.Code != test.status || (w.Body.Len() > 0) != test.body {
				t.Errorf("status %d, %d bytes", w.Code, w.Body.Len())
			}
			for name, want := range test.header {
				if got := w.Header().Get(name); got != want {
					t.Errorf("%s = %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestProtectMistakes(t *testing.T) {
	t.Parallel()
	verify := func(context.Context, string) (streamhttp.Token, error) { return streamhttp.Token{}, nil }
	good := streamhttp.ProtectedResource{Resource: resource, AuthorizationServers: []string{"https://auth.example.com"}}
	tests := []struct {
		name   string
		verify streamhttp.TokenVerifier
		change func(*streamhttp.ProtectedResource)
		want   []string
	}{
		{"no verifier", nil, func(*streamhttp.ProtectedResource) {}, []string{"the TokenVerifier is nil"}},
		{"zero value", nil, func(r *streamhttp.ProtectedResource) { *r = streamhttp.ProtectedResource{} }, []string{"the TokenVerifier is nil", `Resource "": it is not an absolute URI`, "AuthorizationServers is empty"}},
		{"path", verify, func(r *streamhttp.ProtectedResource) { r.Resource = "/mcp" }, []string{"it is not an absolute URI"}},
		{"not a URI", verify, func(r *streamhttp.ProtectedResource) { r.Resource = "https://[x" }, []string{"it is not a URI"}},
		{"quote in the host", verify, func(r *streamhttp.ProtectedResource) { r.Resource = `https://x"y.example/` }, []string{"its host contains a character that is not allowed"}},
		{"T-AUTH-15 http", verify, func(r *streamhttp.ProtectedResource) { r.Resource = "http://mcp.example.com" }, []string{"its scheme must be https"}},
		{"T-AUTH-15 a fragment", verify, func(r *streamhttp.ProtectedResource) { r.Resource += "#a" }, []string{"it has a fragment or a user"}},
		{"T-AUTH-15 an empty fragment", verify, func(r *streamhttp.ProtectedResource) { r.Resource += "#" }, []string{"it has a fragment or a user"}},
		{"user", verify, func(r *streamhttp.ProtectedResource) { r.Resource = "https://a@mcp.example.com" }, []string{"it has a fragment or a user"}},
		{"query", verify, func(r *streamhttp.ProtectedResource) { r.Resource += "?x=1" }, []string{"it has a query"}},
		{"T-AUTH-05 no authorization server", verify, func(r *streamhttp.ProtectedResource) { r.AuthorizationServers = nil }, []string{"AuthorizationServers is empty"}},
		{"invalid issuers", verify, func(r *streamhttp.ProtectedResource) {
			r.AuthorizationServers = []string{"auth.example.com", "http://auth.example.com", "https://", "http://localhost:9000"}
		}, []string{`"auth.example.com" is not an https URL`, `"http://auth.example.com" is not`, `"https://" is not`}},
		{"invalid scopes", verify, func(r *streamhttp.ProtectedResource) { r.Scopes, r.Required = []string{"a b"}, []string{""} }, []string{`the scope "a b" is not a valid scope`, `the scope "" is not a valid scope`}},
		{"T-AUTH-11 refresh token scope", verify, func(r *streamhttp.ProtectedResource) { r.Scopes = []string{"offline_access"} }, []string{`the scope "offline_access" requests a refresh token`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := good
			test.change(&r)
			p, err := streamhttp.Protect(test.verify, r)
			if err == nil || p != nil {
				t.Fatal("Protect succeeded, want an error")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error lacks %q: %v", want, err)
				}
			}
			if lines := strings.Count(err.Error(), "\n") + 1; lines != len(test.want) {
				t.Errorf("%d mistakes, want %d: %v", lines, len(test.want), err)
			}
		})
	}
}
