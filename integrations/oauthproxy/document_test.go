package oauthproxy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/integrations/oauthproxy"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// TestDocumentURL: URLs that are never fetched.
func TestDocumentURL(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, host := range []string{"127.0.0.1", "[::1]", "169.254.169.254", "10.0.0.1", "[::ffff:10.0.0.1]", "localhost", "metadata", "app.example.org:8443", "app.example.org:443", "8.8.8.8", "2130706433"} {
		w.net.hosts[host] = http.NotFoundHandler()
		refusedDocument(t, w, "https://"+host+"/client.json")
	}
	for _, url := range []string{
		"https://app.example.org", "https://app.example.org/", "https://app.example.org/a/../b", "https://app.example.org/./b", "https://app.example.org/%2e%2e/b",
		"https://app.example.org//b", "https://app.example.org/b#x", "https://app.example.org/b#", "https://u:p@app.example.org/b", "https://app.example.org/b\\c",
		"https://app.example.org/b c", "https://äpp.example.org/b", "https:///b", "https://app.example.org/" + strings.Repeat("x", 512),
	} {
		refusedDocument(t, w, url)
	}
	if n := len(w.net.to("https://")) - len(w.net.to(issuer)); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// refusedDocument checks that a client_id is refused.
func refusedDocument(t *testing.T, w *world, id string) {
	t.Helper()
	if p := w.browser().get(authorizeURL(map[string]string{"client_id": id})); p.status != http.StatusBadRequest || p.location != "" || !strings.Contains(p.text, "the document of the client cannot be used") {
		t.Errorf("%s: got %d %q %s", id, p.status, p.location, p.text)
	}
}

// TestDocument: what a document must be like.
func TestDocument(t *testing.T) {
	t.Parallel()
	document := func(changes string) string {
		return `{"client_id":"` + documentURL + `","client_name":"Editor","redirect_uris":["` + redirectURI + `"]` + changes + `}`
	}
	for _, test := range []struct {
		name, text, media string
		status            int
		ok                bool
	}{
		{"minimal", document(""), "application/json; charset=utf-8", 200, true},
		{"other JSON", document(`,"logo_uri":"https://app.example.org/logo.png"`), "application/client-metadata+json", 200, true},
		{"no JSON type", document(""), "text/plain", 200, false},
		{"no type", document(""), "", 200, false},
		{"not JSON", "<html>", "application/json", 200, false},
		{"status 404", document(""), "application/json", 404, false},
		{"status 206", document(""), "application/json", 206, false},
		{"too long", document(`,"x":"` + strings.Repeat("x", 10<<10) + `"`), "application/json", 200, false},
		{"another id", strings.Replace(document(""), "client.json", "client.json?", 1), "application/json", 200, false},
		{"no id", strings.Replace(document(""), "client_id", "id", 1), "application/json", 200, false},
		{"no name", strings.Replace(document(""), "client_name", "name", 1), "application/json", 200, false},
		{"no redirects", strings.Replace(document(""), "redirect_uris", "redirects", 1), "application/json", 200, false},
		{"secret", document(`,"client_secret":"x"`), "application/json", 200, false},
		{"secret method", document(`,"token_endpoint_auth_method":"client_secret_post"`), "application/json", 200, false},
		{"key method", document(`,"token_endpoint_auth_method":"private_key_jwt"`), "application/json", 200, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.net.hosts["app.example.org"] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = []string{test.media}
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.text)
			})
			if !test.ok {
				refusedDocument(t, w, documentURL)
			} else if p := w.browser().get(authorizeURL(nil)); p.status != http.StatusOK {
				t.Errorf("got %d %s", p.status, p.text)
			}
		})
	}
}

// TestDocumentScheme checks that the error for a redirect URI of a document lists the schemes that the server allows.
func TestDocumentScheme(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.net.hosts["app.example.org"] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"client_id":"` + documentURL + `","client_name":"Editor","redirect_uris":["editor://cb"]}`))
	})
	p := w.browser().get(authorizeURL(map[string]string{"redirect_uri": "editor://cb"}))
	if p.status != http.StatusBadRequest || !strings.Contains(p.text, "this server allows only redirect URIs that are https URLs") {
		t.Errorf("got %d %s", p.status, p.text)
	}
}

// TestDocumentRedirect: redirects of a document are not followed, and what an internal server
// answers is not shown.
func TestDocumentRedirect(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.net.hosts["internal.example.com"] = w.net.hosts["app.example.org"] // with a good document
	w.net.hosts["169.254.169.254"] = w.net.hosts["app.example.org"]
	for _, target := range []string{"https://internal.example.com/client.json", "http://169.254.169.254/client.json"} {
		w.net.hosts["app.example.org"] = http.RedirectHandler(target, http.StatusFound)
		refusedDocument(t, w, documentURL)
	}
}

// TestDocumentRedirectURIs: a document cannot allow redirect URIs that the proxy does not.
func TestDocumentRedirectURIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.net.hosts["app.example.org"] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"client_id": documentURL, "client_name": "x", "redirect_uris": []string{"http://example.com/", "javascript:alert(1)", redirectURI}})
	})
	for uri, status := range map[string]int{"http://example.com/": 400, "javascript:alert(1)": 400, redirectURI: 200} {
		if p := w.browser().get(authorizeURL(map[string]string{"redirect_uri": uri})); p.status != status {
			t.Errorf("%s: got %d", uri, p.status)
		}
	}
}

// TestDocumentChange checks that a change of a document, such as the removal of a redirect URI of an attacker, applies after
// five minutes, or sooner if its server sets a shorter cache time.
func TestDocumentChange(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, control string
		cached        time.Duration
	}{
		{"default", "", 5 * time.Minute},
		{"shorter", "public, max-age=60", time.Minute},
		{"longer", `max-age="86400"`, 5 * time.Minute},
		{"invalid", "max-age=-1", 5 * time.Minute},
		{"too large", "max-age=99999999999999999999", 5 * time.Minute},
		{"zero", "max-age=0", 0},
		{"not stored", "max-age=60, No-Store", 0},
		{"not cached", "no-cache", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, nil)
				uris := []string{redirectURI, localURI}
				w.net.hosts["app.example.org"] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					w.Header().Set("Cache-Control", test.control)
					_ = json.NewEncoder(w).Encode(map[string]any{"client_id": documentURL, "client_name": "Editor", "redirect_uris": uris})
				})
				show := func(status int) {
					t.Helper()
					if p := w.browser().get(authorizeURL(nil)); p.status != status || p.location != "" {
						t.Errorf("got %d %q, want %d", p.status, p.location, status)
					}
				}
				show(http.StatusOK)
				uris = uris[1:]
				if test.cached > 0 {
					time.Sleep(test.cached - time.Nanosecond)
					show(http.StatusOK)
					time.Sleep(time.Nanosecond)
				}
				show(http.StatusBadRequest)
			})
		})
	}
}

// TestDocumentErrorsAreNotCached: a client whose document was broken works when it is repaired.
func TestDocumentErrorsAreNotCached(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	good := w.net.hosts["app.example.org"]
	w.net.hosts["app.example.org"] = http.NotFoundHandler()
	refusedDocument(t, w, documentURL)
	w.net.hosts["app.example.org"] = good
	if p := w.browser().get(authorizeURL(nil)); p.status != http.StatusOK {
		t.Errorf("got %d", p.status)
	}
}

// slowHosts serves n hosts that never answer, and returns URLs of documents there.
func (w *world) slowHosts(n int) []string {
	urls := make([]string, n)
	for i := range urls {
		host := fmt.Sprintf("slow%d.example.net", i)
		w.net.hosts[host] = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		urls[i] = "https://" + host + "/client.json"
	}
	return urls
}

// wantBusy checks that a page reports that the document of the client cannot be fetched at present.
func wantBusy(t *testing.T, p page) {
	t.Helper()
	if p.status != http.StatusServiceUnavailable || p.header.Get("Retry-After") != "5" || !strings.Contains(p.text, "(temporarily_unavailable)") {
		t.Errorf("got %d %v %s, want temporarily_unavailable", p.status, p.header, p.text)
	}
}

// TestSlowDocumentHosts: slow servers take five seconds at most, and a client that names many of them gets few requests at a
// time, so that others can log in at once.
func TestSlowDocumentHosts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		start := time.Now()
		var wait sync.WaitGroup
		for i, url := range w.slowHosts(40) {
			wait.Go(func() {
				b := w.browserAt("203.0.113.7")
				if i >= 8 {
					time.Sleep(time.Second) // its share is in use
					wantBusy(t, b.get(authorizeURL(map[string]string{"client_id": url})))
				} else if p := b.get(authorizeURL(map[string]string{"client_id": url})); p.status != http.StatusBadRequest || !strings.Contains(p.text, "it cannot be fetched") {
					t.Errorf("got %d %s", p.status, p.text)
				}
			})
		}
		time.Sleep(2 * time.Second)
		if p := w.browser().get(authorizeURL(nil)); p.status != http.StatusOK || time.Since(start) != 2*time.Second {
			t.Errorf("after %v got %d %s", time.Since(start), p.status, p.text)
		}
		wait.Wait()
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("took %v", took)
		}
		if p := w.browserAt("203.0.113.7").get(authorizeURL(nil)); p.status != http.StatusOK {
			t.Errorf("afterwards got %d %s", p.status, p.text)
		}
	})
}

// TestSlowDocumentHost: many documents of one host, requested from many addresses, take few of the requests.
func TestSlowDocumentHost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		slow := w.slowHosts(1)[0]
		var wait sync.WaitGroup
		for i := range 40 {
			wait.Go(func() {
				w.browserAt(fmt.Sprintf("203.0.113.%d", i)).get(authorizeURL(map[string]string{"client_id": slow + "?" + fmt.Sprint(i)}))
			})
		}
		synctest.Wait()
		if n := len(w.net.to(slow)); n != 4 {
			t.Errorf("%d requests to the host", n)
		}
		start := time.Now()
		if p := w.browser().get(authorizeURL(nil)); p.status != http.StatusOK || time.Since(start) != 0 {
			t.Errorf("after %v got %d %s", time.Since(start), p.status, p.text)
		}
		wait.Wait()
	})
}

// TestDocumentOverload: when all requests are in use, another login waits for a short time, and for as long as the overload
// lasts a document of the last hour is used.
func TestDocumentOverload(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		var wait sync.WaitGroup
		overload := func() {
			for i, url := range w.slowHosts(32) {
				wait.Go(func() {
					w.browserAt(fmt.Sprintf("203.0.113.%d", i)).get(authorizeURL(map[string]string{"client_id": url}))
				})
			}
			synctest.Wait()
		}
		overload()
		start := time.Now()
		wantBusy(t, w.browser().get(authorizeURL(nil)))
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("waited %v", took)
		}
		time.Sleep(2 * time.Second)
		if p := w.browser().get(authorizeURL(nil)); p.status != http.StatusOK || time.Since(start) != 5*time.Second {
			t.Errorf("after %v got %d %s", time.Since(start), p.status, p.text)
		}
		wait.Wait()
		fetched := len(w.net.to(documentURL))
		for _, wait := range []time.Duration{0, 10 * time.Minute, 40 * time.Minute} {
			time.Sleep(wait)
			overload()
			if p := w.browser().get(authorizeURL(nil)); p.status != http.StatusOK || len(w.net.to(documentURL)) != fetched {
				t.Errorf("after %v got %d %s", wait, p.status, p.text)
			}
		}
		time.Sleep(11 * time.Minute)
		overload()
		wantBusy(t, w.browser().get(authorizeURL(nil)))
		wait.Wait()
	})
}

// TestDocumentsBehindProxy checks that local addresses have no share, because they are reverse proxies with many clients, and
// that clients whose address the program sets have one.
func TestDocumentsBehindProxy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		var wait sync.WaitGroup
		for _, url := range w.slowHosts(31) {
			wait.Go(func() { w.browserAt("10.0.0.1").get(authorizeURL(map[string]string{"client_id": url})) })
		}
		synctest.Wait()
		start := time.Now()
		if p := w.browserAt("10.0.0.1").get(authorizeURL(nil)); p.status != http.StatusOK || time.Since(start) != 0 {
			t.Errorf("after %v got %d %s", time.Since(start), p.status, p.text)
		}
		wait.Wait()

		w = newWorld(t, nil)
		w.net.hosts["mcp.example.com"] = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			access := runtime.Access{Address: netip.MustParseAddr("203.0.113.7")}
			w.proxy.ServeHTTP(rw, r.WithContext(streamhttp.WithAccess(r.Context(), access)))
		})
		urls := w.slowHosts(9)
		for _, url := range urls[:8] {
			wait.Go(func() { w.browserAt("10.0.0.1").get(authorizeURL(map[string]string{"client_id": url})) })
		}
		synctest.Wait()
		wantBusy(t, w.browserAt("10.0.0.1").get(authorizeURL(map[string]string{"client_id": urls[8]})))
		wait.Wait()
	})
}

// TestConcurrentLogins: logins with one client at the same time fetch its document no more often than its host has requests
// at a time.
func TestConcurrentLogins(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		serve := w.net.hosts["app.example.org"]
		w.net.hosts["app.example.org"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			serve.ServeHTTP(w, r)
		})
		var wait sync.WaitGroup
		for i := range 50 {
			wait.Go(func() {
				if p := w.browserAt(fmt.Sprintf("203.0.113.%d", i)).get(authorizeURL(nil)); p.status != http.StatusOK {
					t.Errorf("got %d %s", p.status, p.text)
				}
			})
		}
		wait.Wait()
		if n := len(w.net.to(documentURL)); n > 4 {
			t.Errorf("%d requests", n)
		}
	})
}

// TestPublicAddresses: the default transport connects only to public addresses, which it checks
// after names are resolved.
func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	transport := oauthproxy.NewDocumentTransport()
	for _, host := range []string{
		"localhost", "127.0.0.1", "127.1.2.3", "0.0.0.0", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:169.254.169.254]", "10.1.2.3", "172.16.0.1", "192.168.0.1",
		"100.64.0.1", "169.254.169.254", "8.8.8.8:80", "[fe80::1]", "[fd00:ec2::254]", "[64:ff9b::a00:1]", "[2002:a00:1::]", "224.0.0.1", "255.255.255.255", "8.8.8.8:22",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+host+"/client.json", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := transport.RoundTrip(r)
		cancel()
		if err == nil {
			_ = response.Body.Close()
		}
		if err == nil || !strings.Contains(fmt.Sprint(err), "prohibited") && !strings.Contains(fmt.Sprint(err), "not a permitted") {
			t.Errorf("%s: got %v", host, err)
		}
	}
}
