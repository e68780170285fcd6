package streamhttp_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// TestCORS checks which responses a page of another origin can read.
func TestCORS(t *testing.T) {
	t.Parallel()
	public := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80}
	const page = "https://app.example.com"
	listed, anyOrigin := streamhttp.AllowOrigins("https://other.example.com", "https://App.example.com"), streamhttp.AllowOrigins("*")
	tests := []struct {
		name, method, origin string
		options              []streamhttp.Option
		status               int
		allowed, methods     string
		reason               string
	}{
		{"request", "POST", page, []streamhttp.Option{listed}, 200, page, "", "the page may read it"},
		{"preflight", "OPTIONS", page, []streamhttp.Option{listed}, 204, page, "DELETE, GET, POST", "the page may send requests"},
		{"preflight without sessions", "OPTIONS", page, []streamhttp.Option{listed, streamhttp.Sessions(0)}, 204, page, "POST", "there are no other methods"},
		{"preflight of a protected handler", "OPTIONS", page, []streamhttp.Option{listed, protection(t, nil)}, 204, page, "DELETE, GET, POST", "browsers send preflights without the token"},
		{"refused request", "POST", page, []streamhttp.Option{listed, protection(t, nil)}, 401, page, "", "the page needs the challenge"},
		{"any origin", "POST", page, []streamhttp.Option{anyOrigin}, 200, "*", "", "no answer depends on the origin"},
		{"another origin", "POST", "https://evil.example", []streamhttp.Option{listed}, 403, "", "", "it is not listed"},
		{"preflight of another origin", "OPTIONS", "https://evil.example", []streamhttp.Option{listed}, 403, "", "", "it is not listed"},
		{"no option", "OPTIONS", page, nil, 403, "", "", "no origin is listed"},
		{"no page", "OPTIONS", "", []streamhttp.Option{listed}, 405, "", "", "it is not a preflight"},
		{"no page and any origin", "POST", "", []streamhttp.Option{listed}, 200, "", "", "it needs no permission"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := serveAt(t, public, fixtureServer(t, nil), test.options...)
			response := server.do(t.Context(), test.method, modern("1", "tools/list", ""), heading("tools/list", "", "Origin", test.origin))
			h := response.header
			if response.status != test.status || h.Get("Access-Control-Allow-Origin") != test.allowed || h.Get("Access-Control-Allow-Methods") != test.methods {
				t.Errorf("status %d, %v; want %d, because %s", response.status, h, test.status, test.reason)
			}
			if got := h.Get("Access-Control-Allow-Headers"); test.status == 204 && got != "*, Authorization" {
				t.Errorf("allowed headers: %q", got) // a wildcard does not include Authorization
			}
			if got := h.Get("Access-Control-Max-Age"); test.status == 204 && got != "86400" {
				t.Errorf("the preflight is valid for %q seconds", got)
			}
			exposed := ""
			if test.allowed != "" {
				exposed = "Mcp-Session-Id, Www-Authenticate, Retry-After"
			}
			if got := h.Get("Access-Control-Expose-Headers"); got != exposed {
				t.Errorf("exposed headers = %q, want %q", got, exposed)
			}
			if h.Get("Access-Control-Allow-Credentials") != "" {
				t.Error("credentials are allowed")
			}
			if varies := h.Get("Vary") == "Origin"; varies != (test.allowed == page) && test.status < 400 && test.origin != "" {
				t.Errorf("Vary: %q", h.Get("Vary"))
			}
		})
	}
}

// TestCORSOnLoopback checks that pages from loopback, which may send requests, can read responses only if their origin
// is listed.
func TestCORSOnLoopback(t *testing.T) {
	t.Parallel()
	const page = "http://localhost:5173"
	for allowed, options := range map[string][]streamhttp.Option{"": nil, page: {streamhttp.AllowOrigins(page)}} {
		server := serve(t, fixtureServer(t, nil), options...)
		response := server.do(t.Context(), http.MethodPost, modern("1", "tools/list", ""), heading("tools/list", "", "Origin", page))
		if got := response.header.Get("Access-Control-Allow-Origin"); response.status != http.StatusOK || got != allowed {
			t.Errorf("status %d, allowed %q, want %q", response.status, got, allowed)
		}
	}
}

// TestTwoOrigins checks that a request with two Origin headers is refused. Browsers never send one.
func TestTwoOrigins(t *testing.T) {
	t.Parallel()
	const page = "https://app.example.com"
	server := serve(t, fixtureServer(t, nil), streamhttp.AllowOrigins(page))
	r := server.request(t.Context(), http.MethodPost, modern("1", "tools/list", ""), heading("tools/list", ""))
	r.Header["Origin"] = []string{page, "https://evil.example"}
	response, err := server.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusForbidden {
		t.Errorf("status %d, want 403", response.StatusCode)
	}
}

// TestNamesAddUp checks that the names of several AllowOrigins and AllowHosts options are all allowed.
func TestNamesAddUp(t *testing.T) {
	t.Parallel()
	server := serve(t, fixtureServer(t, nil), streamhttp.AllowOrigins("https://a.example"), streamhttp.AllowHosts("a.example"),
		streamhttp.AllowOrigins("https://b.example"), streamhttp.AllowHosts("b.example"))
	for name, status := range map[string]int{"a.example": http.StatusOK, "b.example": http.StatusOK, "c.example": http.StatusForbidden} {
		for _, header := range []map[string]string{heading("tools/list", "", "Host", name), heading("tools/list", "", "Origin", "https://"+name)} {
			if response := server.do(t.Context(), http.MethodPost, modern("1", "tools/list", ""), header); response.status != status {
				t.Errorf("%v: status %d, want %d", header, response.status, status)
			}
		}
	}
}

// TestCORSAtShutdown checks that listed pages can read the refusal during a shutdown, and others cannot.
func TestCORSAtShutdown(t *testing.T) {
	t.Parallel()
	const page = "https://app.example.com"
	handler := newHandler(t, fixtureServer(t, nil), streamhttp.AllowOrigins(page))
	server := serveHandlerAt(t, loopback, handler)
	if err := handler.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		method, origin, allowed string
		status                  int
	}{
		{"OPTIONS", page, page, 204},
		{"POST", page, page, 503},
		{"POST", "https://evil.example", "", 403},
		{"POST", "", "", 503},
	} {
		response := server.do(t.Context(), test.method, modern("1", "tools/list", ""), heading("tools/list", "", "Origin", test.origin))
		if got := response.header.Get("Access-Control-Allow-Origin"); response.status != test.status || got != test.allowed {
			t.Errorf("%s from %q: status %d, allowed %q; want %d, %q", test.method, test.origin, response.status, got, test.status, test.allowed)
		}
	}
}

// TestCORSOfMiddleware checks that the handler keeps the CORS headers of middleware.
func TestCORSOfMiddleware(t *testing.T) {
	t.Parallel()
	handler := newHandler(t, fixtureServer(t, nil), streamhttp.AllowOrigins("*"))
	server := serveHandlerAt(t, loopback, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
		w.Header().Set("Access-Control-Allow-Credentials", "true")
		handler.ServeHTTP(w, r)
	}))
	response := server.do(t.Context(), http.MethodPost, modern("1", "tools/list", ""), heading("tools/list", "", "Origin", "https://app.example.com"))
	if h := response.header; h.Get("Access-Control-Allow-Origin") != "https://app.example.com" || h.Get("Access-Control-Expose-Headers") != "" {
		t.Errorf("got %v", h)
	}
}

// TestNames checks that AllowOrigins and AllowHosts reject values that no browser sends in a header.
func TestNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		allow func(...string) streamhttp.Option
		good  []string
		bad   []string
	}{
		{
			"origins", streamhttp.AllowOrigins,
			[]string{"*", "https://app.example.com", "https://App.example.com:8443", "http://localhost:5173", "http://[::1]:5173", "chrome-extension://abcdef", "https://xn--mnchen-3ya.example"},
			[]string{
				"", "null", "app.example.com", "//app.example.com", "https://", "https://app.example.com/", "https://app.example.com/a", "https://app.example.com?", "https://a@app.example.com",
				"https://app.example.com:443", "http://app.example.com:80", "https://*.example.com", "*.example.com", "https://münchen.example", "https://a, https://b", "https://a\x00", "https://::1",
			},
		},
		{
			"hosts", streamhttp.AllowHosts,
			[]string{"*", "mcp.example.com", "MCP.example.com:8443", "mcp.example.com:443", "127.0.0.1:8080", "::1", "fd00::5", "[::1]", "[::1]:8080"},
			[]string{"", "https://mcp.example.com", "mcp.example.com/mcp", "*.example.com", "münchen.example", "a b", "a@b", "fe80::1%eth0", "mcp.example.com:x", ":8080"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, name := range test.good {
				if mistake := mistakeOf(test.allow(name)); mistake != nil {
					t.Errorf("%q: got error %v", name, mistake)
				}
			}
			for _, name := range test.bad {
				if mistake := mistakeOf(test.allow(name)); mistake == nil {
					t.Errorf("%q is allowed", name)
				}
			}
		})
	}
}

// mistakeOf returns the error of NewHandler and NewSSEHandler for option.
func mistakeOf(option streamhttp.Option) error {
	srv := &runtime.Server{Tools: &mcptool.Registry{}}
	_, err := streamhttp.NewHandler(srv, option)
	if _, other := streamhttp.NewSSEHandler(srv, option); (err == nil) != (other == nil) {
		return errors.New("only one constructor returns an error")
	}
	return err
}

//go:embed testdata/page.html
var page []byte

// TestBrowser runs testdata/page.html in Chromium: clients of both eras, in pages of a listed and an unlisted origin.
func TestBrowser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes seconds to start a browser")
	}
	chromium := os.Getenv("MCPTOOL_CHROMIUM")
	if chromium == "" {
		chromium = "/usr/bin/chromium"
	}
	if _, err := os.Stat(chromium); err != nil {
		t.Skipf("no Chromium: install it at /usr/bin/chromium with make chromium, or set MCPTOOL_CHROMIUM (%v)", err)
	}
	reports := make(chan []byte, 2)
	pages := http.NewServeMux()
	pages.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write(page)
	})
	pages.HandleFunc("POST /report", func(_ http.ResponseWriter, r *http.Request) {
		report, _ := io.ReadAll(r.Body)
		reports <- report
	})
	good, evil := httptest.NewServer(pages), httptest.NewServer(pages)
	t.Cleanup(good.Close)
	t.Cleanup(evil.Close)

	srv := fixtureServer(t, nil)
	protected, err := streamhttp.Protect(verifyKnown, streamhttp.ProtectedResource{Resource: resource, AuthorizationServers: []string{"https://auth.example.com"}})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", newHandler(t, srv, streamhttp.AllowOrigins(good.URL), protected))
	mux.Handle("/any", newHandler(t, srv, streamhttp.AllowOrigins("*"), protected))
	mux.Handle("/loopback", newHandler(t, srv))
	mux.Handle(streamhttp.MetadataPath, protected.Metadata())
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)

	cmd := exec.CommandContext(t.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--user-data-dir="+t.TempDir(), "--remote-debugging-port=0", good.URL+"/?server="+server.URL+"&other="+evil.URL)
	var output bytes.Buffer
	cmd.Stderr = &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	for range 2 { // the page and its embedded page of the other origin
		var failed []string
		select {
		case report := <-reports:
			if err := json.Unmarshal(report, &failed); err != nil || len(failed) > 0 {
				t.Error(strings.Join(failed, "\n"), err)
			}
		case err := <-exited:
			t.Fatalf("Chromium has exited: %v: %s", err, output.String())
		}
	}
	_ = cmd.Process.Kill()
	<-exited
}
