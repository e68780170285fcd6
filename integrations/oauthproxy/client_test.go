package oauthproxy_test

import (
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/integrations/oauthproxy"
)

// TestRegister checks the metadata that clients can register.
func TestRegister(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *oauthproxy.Config) { c.RedirectSchemes = []string{"cursor"} })
	long := "https://example.com/" + strings.Repeat("x", 500)
	for _, test := range []struct {
		name, redirects, code string
	}{
		{"https", `"https://example.com/cb?x=1"`, ""},
		{"loopback", `"http://127.0.0.1/cb","http://localhost:3000","http://[::1]:1/cb"`, ""},
		{"allowed scheme", `"cursor://anysphere.cursor-mcp/oauth/callback"`, ""},
		{"none", ``, "invalid_redirect_uri"},
		{"too many", strings.Repeat(`"https://example.com/",`, 10) + `"https://example.com/"`, "invalid_redirect_uri"},
		{"too long", `"` + long + `"`, "invalid_redirect_uri"},
		{"too long together", `"` + long[:500] + `","` + long[:501] + `","` + long[:502] + `"`, "invalid_client_metadata"},
		{"http", `"http://example.com/cb"`, "invalid_redirect_uri"},
		{"other loopback", `"http://127.0.0.2/cb"`, "invalid_redirect_uri"},
		{"loopback prefix", `"http://localhost.example.com/cb"`, "invalid_redirect_uri"},
		{"fragment", `"https://example.com/cb#x"`, "invalid_redirect_uri"},
		{"empty fragment", `"https://example.com/cb#"`, "invalid_redirect_uri"},
		{"user", `"https://example.com@evil.example/cb"`, "invalid_redirect_uri"},
		{"no host", `"https:///cb"`, "invalid_redirect_uri"},
		{"opaque", `"https:example.com"`, "invalid_redirect_uri"},
		{"relative", `"/cb"`, "invalid_redirect_uri"},
		{"wildcard host", `"https://*.example.com/cb` + "\\u0000" + `"`, "invalid_redirect_uri"},
		{"backslash", `"https://example.com\\@evil.example/"`, "invalid_redirect_uri"},
		{"space", `"https://example.com/ cb"`, "invalid_redirect_uri"},
		{"not ASCII", `"https://exämple.com/cb"`, "invalid_redirect_uri"},
		{"not ASCII, encoded", `"https://%D0%B0pple.com/cb"`, "invalid_redirect_uri"}, // the page would show a Cyrillic letter
		{"upper case", `"HTTPS://example.com/cb"`, "invalid_redirect_uri"},            // the page would call it a program on the device
		{"upper case host", `"https://EXAMPLE.com/cb"`, ""},
		{"zone", `"https://[fe80::1%25eth0]/cb"`, "invalid_redirect_uri"},
		{"script", `"javascript:alert(1)"`, "invalid_redirect_uri"},
		{"data", `"data:text/html,x"`, "invalid_redirect_uri"},
		{"another scheme", `"vscode://x/cb"`, "invalid_redirect_uri"},
		{"one of many", `"https://example.com/cb","http://example.com/cb"`, "invalid_redirect_uri"},
		{"not a list", `1`, "invalid_client_metadata"},
	} {
		t.Run(test.name, func(t *testing.T) {
			redirects := "[" + test.redirects + "]"
			if a := w.register(`{"client_name":"x","token_endpoint_auth_method":"client_secret_basic","redirect_uris":` + redirects + `}`); test.code != "" {
				wantStatus(t, a, http.StatusBadRequest, test.code)
			} else if a.status != http.StatusCreated || a.string("token_endpoint_auth_method") != "none" || a.body["client_secret"] != nil || len(a.string("client_id")) > 2048 {
				t.Errorf("got %v", a)
			}
		})
	}
	if a := w.register(`{"client_name":"x","redirect_uris":["vscode://x/cb"]}`); !strings.Contains(a.string("error_description"), "URIs of the schemes cursor") {
		t.Errorf("the error does not name the schemes: %v", a)
	}
	wantStatus(t, w.register(`{`), http.StatusBadRequest, "invalid_client_metadata")
	wantStatus(t, w.register(`{"x":"`+strings.Repeat("x", 40000)+`"}`), http.StatusBadRequest, "invalid_client_metadata")
}

// TestRegisteredScheme: the client gets its code at a private-use scheme.
func TestRegisteredScheme(t *testing.T) {
	t.Parallel()
	w := quick(t, func(c *oauthproxy.Config) { c.RedirectSchemes = []string{"cursor"} })
	const uri = "cursor://anysphere.cursor-mcp/oauth/callback"
	id := w.registered(`{"client_name":"Cursor","redirect_uris":["` + uri + `"]}`)
	link := authorizeURL(map[string]string{"client_id": id, "redirect_uri": uri})
	if p := w.browser().get(link); !strings.Contains(p.text, "<strong>"+uri+"</strong>") {
		t.Errorf("the page is %s", p.text)
	}
	b := w.browser()
	if p := b.decide(b.get(link), "allow"); !strings.HasPrefix(p.location, uri+"?code=") {
		t.Errorf("the client got %q", p.location)
	}
}

// TestUnknownClients: an id that the proxy has not made.
func TestUnknownClients(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	id := w.registered(`{"client_name":"x","redirect_uris":["` + redirectURI + `"]}`)
	for _, id := range []string{"", "x", id[:len(id)-1], id + "A", "http://app.example.org/client.json", "HTTPS://app.example.org/client.json", strings.Repeat("A", 3000)} {
		if p := w.browser().get(authorizeURL(map[string]string{"client_id": id})); p.status != http.StatusBadRequest || p.location != "" || !strings.Contains(p.text, "invalid_client") {
			t.Errorf("%.50s: got %d %s", id, p.status, p.text)
		}
	}
}

// TestLongRequest: a request whose state does not fit into a cookie is refused, and not cut.
func TestLongRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	uri := "https://example.com/" + strings.Repeat("x", 490)
	id := w.registered(`{"client_name":"x","redirect_uris":["` + uri + `","` + uri + `2"]}`)
	b := w.browser()
	p := b.decide(b.get(authorizeURL(map[string]string{"client_id": id, "redirect_uri": uri, "state": strings.Repeat("s", 1024)})), "allow")
	if !strings.HasPrefix(p.location, uri+"?error=invalid_request") || len(p.header.Values("Set-Cookie")) > 0 {
		t.Errorf("got %q", p.location)
	}
}

// TestMetadata: the document of RFC 8414, also for pages of other origins.
func TestMetadata(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	r, _ := http.NewRequest(http.MethodGet, issuer+oauthproxy.MetadataPath, http.NoBody)
	a := w.send(r)
	for name, want := range map[string]any{
		"issuer": issuer, "authorization_endpoint": issuer + "/authorize", "token_endpoint": issuer + "/token", "registration_endpoint": issuer + "/register",
		"revocation_endpoint": issuer + "/revoke", "client_id_metadata_document_supported": true, "authorization_response_iss_parameter_supported": true,
		"code_challenge_methods_supported": []any{"S256"}, "token_endpoint_auth_methods_supported": []any{"none", "private_key_jwt"},
		"revocation_endpoint_auth_methods_supported": []any{"none", "private_key_jwt"}, "scopes_supported": []any{"notes:read", "notes:write"},
	} {
		if !reflect.DeepEqual(a.body[name], want) {
			t.Errorf("%s is %v, want %v", name, a.body[name], want)
		}
	}
	for path, public := range map[string]bool{
		oauthproxy.MetadataPath: true, "/token": true, "/register": true, "/revoke": true, "/authorize": false, "/consent": false, "/callback": false,
	} {
		r, _ := http.NewRequest(http.MethodOptions, issuer+path, http.NoBody)
		response, err := w.net.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if (response.Header.Get("Access-Control-Allow-Origin") == "*") != public || response.Header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: got %d %v", path, response.StatusCode, response.Header)
		}
	}
	if a := w.post("/token", url.Values{"grant_type": {"refresh_token", "authorization_code"}}); a.string("error") != "invalid_request" || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %v", a)
	}
}

// TestDisable: a kind of client that is switched off is refused, at each endpoint and if it has registered before, and is not
// in the metadata. The clients of the other kind are not affected.
func TestDisable(t *testing.T) {
	t.Parallel()
	store := oauthproxy.NewMemory(0)
	w := quick(t, func(c *oauthproxy.Config) { c.Store = store })
	id := w.registered(`{"client_name":"Old","redirect_uris":["` + redirectURI + `"]}`)
	ids := map[bool]string{false: id, true: documentURL} // by whether the client has a document
	tokens := map[bool]answer{}
	for kind, id := range ids {
		own := map[string]string{"client_id": id}
		tokens[kind] = w.redeem(w.browser().connectNow(authorizeURL(own)).Get("code"), own)
	}
	for _, documents := range []bool{false, true} { // the kind that is switched off
		c := config(w)
		c.Store, c.DisableRegistration, c.DisableDocuments = store, !documents, documents
		w.start(c)
		w.net.trace = nil
		r, _ := http.NewRequest(http.MethodGet, issuer+oauthproxy.MetadataPath, http.NoBody)
		metadata := w.send(r).body
		if (metadata["registration_endpoint"] != nil) != documents || (metadata["client_id_metadata_document_supported"] == true) == documents {
			t.Errorf("documents %v: the metadata is %v", documents, metadata)
		}
		for _, endpoint := range []string{"token", "revocation"} {
			methods, algorithms := metadata[endpoint+"_endpoint_auth_methods_supported"], metadata[endpoint+"_endpoint_auth_signing_alg_values_supported"]
			if documents && (!reflect.DeepEqual(methods, []any{"none"}) || algorithms != nil) || !documents && algorithms == nil {
				t.Errorf("documents %v: the methods of the %s endpoint are %v, with the algorithms %v", documents, endpoint, methods, algorithms)
			}
		}
		r, _ = http.NewRequest(http.MethodPost, issuer+"/register", strings.NewReader(`{"client_name":"x","redirect_uris":["`+redirectURI+`"]}`))
		response, err := w.net.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if (response.StatusCode == http.StatusCreated) != documents {
			t.Errorf("documents %v: the registration got %d", documents, response.StatusCode)
		}
		for kind, id := range ids {
			own := map[string]string{"client_id": id}
			p := w.browser().get(authorizeURL(own))
			a := w.refresh(tokens[kind].string("refresh_token"), own)
			if kind != documents {
				wantStatus(t, a, http.StatusOK, "")
				if p.status != http.StatusOK {
					t.Errorf("documents %v: the other kind got %d %s", documents, p.status, p.text)
				}
				continue
			}
			wantStatus(t, a, http.StatusUnauthorized, "invalid_client")
			if p.status != http.StatusBadRequest || p.location != "" || !strings.Contains(p.text, "are not accepted") {
				t.Errorf("documents %v: got %d %s", documents, p.status, p.text)
			}
			if documents && len(w.net.to(documentURL)) != 0 {
				t.Error("the document was fetched")
			}
		}
	}
}

// TestIssuerPath: an issuer with a path, as for one of several servers on a host.
func TestIssuerPath(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *oauthproxy.Config) { c.Issuer = issuer + "/notes" })
	r, _ := http.NewRequest(http.MethodGet, issuer+oauthproxy.MetadataPath+"/notes", http.NoBody)
	if a := w.send(r); a.string("issuer") != issuer+"/notes" || a.string("token_endpoint") != issuer+"/notes/token" {
		t.Errorf("got %v", a)
	}
	p := w.browser().get(strings.Replace(authorizeURL(nil), "/authorize", "/notes/authorize", 1))
	if p.status != http.StatusOK || !strings.Contains(p.text, `action="https://mcp.example.com/notes/consent"`) {
		t.Errorf("got %d %s", p.status, p.text)
	}
}
