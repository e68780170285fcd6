package page_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/internal/page"
	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// TestWrongToken checks that all paths need the token.
func TestWrongToken(t *testing.T) {
	t.Parallel()
	b := open(t, serveShop(t), client.Modern, page.Options{})
	base, token, _ := strings.Cut(strings.TrimSuffix(b.url, "/"), "://")
	host, token, _ := strings.Cut(token, "/")
	if len(token) != 32 {
		t.Errorf("the token has %d characters, want 32 of 4 bits", len(token))
	}
	base += "://" + host
	for _, path := range []string{"/", "/api/state", "//api/state", "/" + token[:31] + "/api/state", "/" + token + "0/api/state", "/" + strings.ToUpper(token) + "/api/state", "/" + token, "/x/" + token + "/", "/" + strings.Repeat("0", 32) + "/", "/../" + token[:16]} {
		if resp, text := b.send(http.MethodGet, base+path, ""); resp.StatusCode != http.StatusNotFound || strings.Contains(string(text), "petshop") {
			t.Errorf("%s: %s, want 404", path, resp.Status)
		}
	}
	other := open(t, serveShop(t), client.Modern, page.Options{})
	if other.url[strings.LastIndex(strings.TrimSuffix(other.url, "/"), "/"):] == "/"+token+"/" {
		t.Error("two pages have the same token")
	}
}

// TestWrongOrigin checks that another web page cannot use the API, even if it knows the token.
func TestWrongOrigin(t *testing.T) {
	t.Parallel()
	b := open(t, serveShop(t), client.Modern, page.Options{})
	at, err := url.Parse(b.url)
	if err != nil {
		t.Fatal(err)
	}
	const body = `{"kind":"tool","name":"add","arguments":{"a":1}}`
	for _, test := range []struct {
		name   string
		header []string
		want   int
	}{
		{"no headers of a browser", nil, 200},
		{"the page itself", []string{"Origin", "http://" + at.Host, "Sec-Fetch-Site", "same-origin"}, 200},
		{"by another loopback name", []string{"Host", "localhost:" + at.Port(), "Origin", "http://localhost:" + at.Port()}, 200},
		{"another site", []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, 403},
		{"another site without its origin", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"another port", []string{"Origin", "http://127.0.0.1:1", "Sec-Fetch-Site", "same-site"}, 403},
		{"a sandboxed page", []string{"Origin", "null"}, 403},
		{"another scheme", []string{"Origin", "https://" + at.Host}, 403},
		{"a name that resolves to this machine", []string{"Host", "evil.example:" + at.Port(), "Origin", "http://evil.example:" + at.Port(), "Sec-Fetch-Site", "same-origin"}, 403},
		{"without a port", []string{"Host", "127.0.0.1"}, 403},
		{"another port in the host", []string{"Host", "127.0.0.1:1"}, 403},
		{"a host that begins like ours", []string{"Host", "127.0.0.1.evil.example:" + at.Port()}, 403},
		{"another loopback address", []string{"Host", "127.0.0.2:" + at.Port()}, 403},
	} {
		before := len(get[[]page.Call](b, "api/calls"))
		resp, text := b.send(http.MethodPost, "api/calls", body, test.header...)
		called := len(get[[]page.Call](b, "api/calls")) > before
		if resp.StatusCode != test.want || called != (test.want == 200) {
			t.Errorf("%s: %s %s, want %d; a call has begun: %t", test.name, resp.Status, text, test.want, called)
		}
		if resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: other origins may read the response", test.name)
		}
	}
	for _, header := range [][]string{{"Origin", "https://evil.example"}, {"Host", "evil.example:" + at.Port()}} {
		for _, path := range []string{"", "api/state", "api/events", "api/messages"} {
			if resp, _ := b.send(http.MethodGet, path, "", header...); resp.StatusCode != http.StatusForbidden {
				t.Errorf("%q with %q: %s, want 403", path, header, resp.Status)
			}
		}
	}
}

// TestHeaders checks the headers of all kinds of responses.
func TestHeaders(t *testing.T) {
	t.Parallel()
	b := open(t, serveShop(t), client.Modern, page.Options{})
	b.call("tool", "add", `{"a":1}`)
	for path, kind := range map[string]string{
		"": "text/html; charset=utf-8", "api/state": "application/json", "api/calls": "application/json", "api/calls/1/result": "application/json",
		"api/calls/1/copy?as=go": "text/plain; charset=utf-8", "api/messages": "application/json", "api/calls/9": "application/json",
	} {
		resp, _ := b.send(http.MethodGet, path, "")
		for name, want := range map[string]string{
			"Content-Type": kind, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "Set-Cookie": "",
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src data: blob:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
		} {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("%q: %s is %q, want %q", path, name, got, want)
			}
		}
	}
	if resp, _ := b.send(http.MethodDelete, "api/calls/1", ""); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("DELETE: %s", resp.Status)
	}
}

// TestTitle checks that the name of a server is text in the page.
func TestTitle(t *testing.T) {
	t.Parallel()
	b := open(t, child("hostile"), client.Legacy, page.Options{})
	b.connect()
	if _, text := b.send(http.MethodGet, "", ""); strings.Contains(string(text), "<script>alert") {
		t.Errorf("the page is\n%s", text)
	}
}

func TestListen(t *testing.T) {
	t.Parallel()
	p := page.New(page.Options{})
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:0", "example.com:80", "127.0.0.1", ""} {
		if url, err := p.Listen(addr); err == nil || !strings.Contains(err.Error(), "such as 127.0.0.1:8080") {
			t.Errorf("%q is served at %s, %v", addr, url, err)
		}
	}
	url, err := p.Listen("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	for _, addr := range []string{"[::1]:0", "127.0.0.2:0"} { // not all systems have them
		if url, err := p.Listen(addr); err == nil {
			b := &browser{t, p, url}
			if resp, text := b.send(http.MethodGet, "api/state", ""); resp.StatusCode != http.StatusOK {
				t.Errorf("%s: %s %s", url, resp.Status, text)
			}
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if resp, err := http.Get(url); err == nil {
		_ = resp.Body.Close()
		t.Errorf("a closed page is served: %s", resp.Status)
	}
	if _, err := p.Listen("127.0.0.1:0"); err == nil {
		t.Error("a closed page listens")
	}
	if err := p.Connect(t.Context()); err == nil {
		t.Error("a closed page connects")
	}
	if err := p.Close(); err != nil {
		t.Errorf("the second Close: %v", err)
	}
}

// TestHandlerOfAnotherServer checks that the page is not served where its own address is unknown.
func TestHandlerOfAnotherServer(t *testing.T) {
	t.Parallel()
	p := page.New(page.Options{})
	t.Cleanup(func() { _ = p.Close() })
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1/x/", nil))
	if w.Code != http.StatusForbidden {
		t.Errorf("without a local address: %d", w.Code)
	}
}
