package oauthproxy_test

import (
	"bufio"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestConnect goes from discovery to a call, with refresh and revocation.
func TestConnect(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	params := w.browser().connect(authorizeURL(nil))
	if got := keys(params); !reflect.DeepEqual(got, []string{"code", "iss", "state"}) || params.Get("iss") != issuer || params.Get("state") != "client-state" {
		t.Errorf("the client got %v", params)
	}
	first := w.redeem(params.Get("code"), nil)
	if first.status != http.StatusOK || first.string("token_type") != "Bearer" || first.body["expires_in"] != 3600.0 && first.body["expires_in"] != 3599.0 || first.string("scope") != "notes:read" {
		t.Fatalf("got %v", first)
	}
	if status, who := w.whoami(first.string("access_token")); status != http.StatusOK || who != idp+"#id2" {
		t.Errorf("the call got %d, %q", status, who)
	}
	second := w.refresh(first.string("refresh_token"), nil)
	if status, _ := w.whoami(second.string("access_token")); status != http.StatusOK {
		t.Errorf("the call with the refreshed token got %d", status)
	}
	w.post("/revoke", with(map[string]string{"token": second.string("refresh_token"), "client_id": documentURL}, nil))
	for _, token := range []string{first.string("access_token"), second.string("access_token")} {
		if status, _ := w.whoami(token); status != http.StatusUnauthorized {
			t.Errorf("a call with a revoked token got %d", status)
		}
	}
	wantStatus(t, w.refresh(second.string("refresh_token"), nil), http.StatusBadRequest, "invalid_grant")
}

// TestDiagram compares the diagram in the documentation with the requests of a login.
func TestDiagram(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../docs/oauth-proxy.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(document), "<!-- the requests of a login -->\n```text\n")
	block, _, _ = strings.Cut(block, "```")
	hosts := map[string]string{"server": "mcp.example.com", "proxy": "mcp.example.com", "provider": "idp.example.com", "document": "app.example.org"}
	arrow := regexp.MustCompile(`^ *\S+ +-> +(\S+) +(GET|POST) (\S+)`)
	var want []string
	for lines := bufio.NewScanner(strings.NewReader(block)); lines.Scan(); {
		if m := arrow.FindStringSubmatch(lines.Text()); m != nil && hosts[m[1]] != "" {
			want = append(want, m[2]+" "+hosts[m[1]]+m[3])
		}
	}
	w := newWorld(t, nil)
	w.net.hosts["idp.example.com"] = provider{"ann"}
	w.whoami("none")
	for _, path := range []string{"/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"} {
		r, _ := http.NewRequest(http.MethodGet, issuer+path, http.NoBody)
		w.send(r)
	}
	tokens := w.redeem(w.browser().connectNow(authorizeURL(nil)).Get("code"), nil)
	w.whoami(tokens.string("access_token"))
	w.refresh(tokens.string("refresh_token"), nil)
	var got []string
	for _, e := range w.net.to("https://") {
		u := mustParse(t, e.url)
		if !strings.HasPrefix(u.Path, "/.well-known/openid") && u.Path != "/keys" { // once
			got = append(got, e.method+" "+u.Host+u.Path)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the requests are\n%s\nthe diagram has\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestThreats checks that the tests which the documentation names exist.
func TestThreats(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../docs/oauth-proxy.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(text)
	}
	names := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z]+)`").FindAllSubmatch(document, -1)
	for _, name := range names {
		if !strings.Contains(tests.String(), "\nfunc "+string(name[1])+"(") {
			t.Errorf("there is no %s", name[1])
		}
	}
	if len(names) < 20 {
		t.Errorf("only %d tests are named", len(names))
	}
}
