package oauthproxy_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/mcptool-go/mcptool/integrations/oauthproxy"
)

// TestConfig: mistakes are reported together.
func TestConfig(t *testing.T) {
	t.Parallel()
	_, err := oauthproxy.New(oauthproxy.Config{
		Issuer: "http://mcp.example.com", Scopes: map[string]string{"a b": "", "offline_access": ""}, Keys: make([][32]byte, 1),
		Provider:  oauthproxy.Provider{Endpoint: oauth2.Endpoint{AuthURL: "https://idp.example.com/auth"}},
		AccessTTL: -time.Second, LoginTTL: -2 * time.Second, RefreshGrace: -3 * time.Second,
	})
	for _, want := range []string{
		`Issuer "http://mcp.example.com" must be an https URL`, `Provider.Issuer "" must be an https URL`, "Provider.ClientID is empty",
		"Provider.Endpoint and Provider.Identify need each other", "Resources is empty", `Scopes: "a b" is not a valid scope`, `Scopes: "offline_access"`,
		"Keys has a key of zeros", "AccessTTL is -1s, but must not be negative; 0 means the default, 1h0m0s",
		"LoginTTL is -2s, but must not be negative; 0 means the default, 720h0m0s",
		"RefreshGrace is -3s, but must not be negative; 0 means the default, 30s, and NoRefreshGrace none",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	for name, change := range map[string]func(*oauthproxy.Config){
		"slash":    func(c *oauthproxy.Config) { c.Issuer += "/" },
		"query":    func(c *oauthproxy.Config) { c.Issuer += "?x" },
		"fragment": func(c *oauthproxy.Config) { c.Resources[0] += "#x" },
		"user":     func(c *oauthproxy.Config) { c.Resources[0] = "https://u@mcp.example.com/mcp" },
		"http":     func(c *oauthproxy.Config) { c.Resources[0] = "http://mcp.example.com/mcp" },
		"endpoint": func(c *oauthproxy.Config) {
			c.Provider.Endpoint = oauth2.Endpoint{AuthURL: "https://idp.example.com/auth", TokenURL: "http://idp.example.com/token"}
			c.Provider.Identify = func(context.Context, *oauth2.Token) (string, json.RawMessage, error) { return "", nil, nil }
		},
		"no clients": func(c *oauthproxy.Config) { c.DisableRegistration, c.DisableDocuments = true, true },
		"grace":      func(c *oauthproxy.Config) { c.RefreshGrace = 6 * time.Minute },
		"identify": func(c *oauthproxy.Config) {
			c.Provider.Identify = func(context.Context, *oauth2.Token) (string, json.RawMessage, error) { return "", nil, nil }
		},
	} {
		c := config(&world{net: &network{}})
		change(&c)
		if _, err := oauthproxy.New(c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestRedirectSchemes checks that a scheme that no redirect URI could have is a mistake that names the right one.
func TestRedirectSchemes(t *testing.T) {
	t.Parallel()
	for scheme, want := range map[string]string{
		"cursor":      "",
		"com.example": "",
		"Foo:":        `RedirectSchemes: "Foo:" is not the name of a scheme in lower case; write "foo"`,
		"FOO":         `write "foo"`,
		"cursor://":   `write "cursor"`,
		" cursor":     `write "cursor"`,
		"":            `"" is not a URI scheme; write a letter`,
		"a b":         `"a b" is not a URI scheme`,
		"1a":          `"1a" is not a URI scheme`,
		"é":           `is not a URI scheme`,
		"http":        `"http" is not a private-use scheme; drop it`,
		"HTTPS":       `"HTTPS" is not a private-use scheme; drop it`,
		"javascript":  `"javascript" is handled by browsers themselves`,
		"JavaScript:": `is handled by browsers themselves`,
		"view-source": `"view-source" is handled by browsers themselves`,
	} {
		c := config(&world{net: &network{}})
		c.RedirectSchemes = []string{scheme}
		_, err := oauthproxy.New(c)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", scheme, err, want)
		}
	}
}
