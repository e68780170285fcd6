package oauthproxy_test

import (
	"net/url"
	"testing"

	"github.com/mcptool-go/mcptool/integrations/oauthproxy"
	"github.com/mcptool-go/mcptool/internal/testing/hang"
)

// FuzzRedirect checks that a redirect URI which matches a registered one leads to the same place,
// for a parser that reads both.
func FuzzRedirect(f *testing.F) {
	for _, uri := range []string{
		"https://app.example.org/callback", "http://127.0.0.1:3000/callback", "http://127.0.0.1/callback", "http://localhost:1?x", "http://[::1]:65535/",
		"http://127.0.0.1:3000@evil.example/callback", "http://127.0.0.1:3000.evil.example/callback", "http://localhost:3000/../callback", "http://localhost",
		"http://127.0.0.1:/callback", "http://127.0.0.1:99999/callback", "http://127.0.0.1\\@evil.example/", "https://a#b",
	} {
		f.Add("http://127.0.0.1:3000/callback", uri)
		f.Add(uri, "http://localhost:8080/callback")
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, registered, uri string) {
		defer watch()()
		if !oauthproxy.CanRedirect(registered) || !oauthproxy.CanRedirect(uri) || !oauthproxy.Matches(registered, uri) {
			return
		}
		known, err := url.Parse(registered)
		if err != nil {
			t.Fatal(err)
		}
		got, err := url.Parse(uri)
		if err != nil {
			t.Fatal(err)
		}
		if got.Scheme == "http" {
			host := got.Hostname()
			if host != "localhost" && host != "127.0.0.1" && host != "::1" {
				t.Errorf("%s is not on loopback", uri)
			}
			got.Host, known.Host = host, known.Hostname()
		}
		if got.String() != known.String() || got.User != nil || got.Fragment != "" {
			t.Errorf("%s matches %s", uri, registered)
		}
	})
}
