package oauthproxy_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"

	"github.com/mcptool-go/mcptool/integrations/oauthproxy"
)

// TestProviderMistakes: an ID token is not trusted, and the client learns no reason.
func TestProviderMistakes(t *testing.T) {
	t.Parallel()
	for user, want := range map[string]string{
		"other nonce": "issued for another login", "other audience": "audience", "other issuer": "different provider", "other key": "signature",
		"expired": "expired", "no ID token": "verify the ID token", "nobody": "not named the user", "refused": `refused its code: "invalid_grant"`,
	} {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.net.hosts["idp.example.com"] = provider{user}
			params := w.browser().connectDenied(authorizeURL(nil))
			if params.Get("error") != "server_error" || params.Get("state") != "client-state" || params.Get("code") != "" {
				t.Errorf("the client got %v", params)
			}
			if log := w.log.String(); !strings.Contains(strings.ReplaceAll(log, `\"`, `"`), want) || strings.Contains(log, "provider-token") || strings.Contains(log, "secret") {
				t.Errorf("the log is %s", log)
			}
		})
	}
}

// TestProviderDown: a provider that is down when the server starts is discovered later.
func TestProviderDown(t *testing.T) {
	t.Parallel()
	w := quick(t, nil)
	up := w.net.hosts["idp.example.com"]
	w.net.hosts["idp.example.com"] = http.NotFoundHandler()
	if params := w.browser().connectDenied(authorizeURL(nil)); params.Get("error") != "server_error" {
		t.Errorf("the client got %v", params)
	}
	w.net.hosts["idp.example.com"] = up
	for range 2 {
		w.browser().connectNow(authorizeURL(nil))
	}
	if n := len(w.net.to(idp + "/.well-known/")); n != 2 { // one failed
		t.Errorf("discovered %d times", n)
	}
}

// TestProviderRefuses: the user cancels at the provider.
func TestProviderRefuses(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"access_denied": "access_denied", "interaction_required": "server_error"} {
		w := quick(t, nil)
		b := w.browser()
		b.stays = nil
		callback := mustParse(t, b.get(b.decide(b.get(authorizeURL(nil)), "allow").location).location)
		query := callback.Query()
		query.Del("code")
		query.Set("error", code)
		callback.RawQuery = query.Encode()
		if params := mustParse(t, b.get(callback.String()).location).Query(); params.Get("error") != want || params.Get("iss") != issuer {
			t.Errorf("%s: the client got %v", code, params)
		}
	}
}

// TestIdentify: a provider without OpenID Connect.
func TestIdentify(t *testing.T) {
	t.Parallel()
	var err error
	w := quick(t, func(c *oauthproxy.Config) {
		c.Provider.Endpoint = oauth2.Endpoint{AuthURL: idp + "/auth", TokenURL: idp + "/token"}
		c.Provider.Identify = func(_ context.Context, token *oauth2.Token) (string, json.RawMessage, error) {
			if token.AccessToken != "provider-token" {
				t.Errorf("got the token %q", token.AccessToken)
			}
			return "4711", nil, err
		}
	})
	if _, who := w.whoami(w.redeem(w.code(), nil).string("access_token")); who != idp+"#4711" {
		t.Errorf("the principal is %q", who)
	}
	err = errors.New("the API is down")
	if params := w.browser().connectDenied(authorizeURL(nil)); params.Get("error") != "server_error" {
		t.Errorf("the client got %v", params)
	}
}

// TestProviderRequest: what the provider gets.
func TestProviderRequest(t *testing.T) {
	t.Parallel()
	w := quick(t, nil)
	w.code()
	request := w.net.to(idp + "/auth")[0].url
	q := mustParse(t, request).Query()
	if q.Get("client_id") != "proxy" || q.Get("redirect_uri") != issuer+"/callback" || q.Get("scope") != "openid email" ||
		q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43 || q.Get("code_challenge") == challenge() || len(q.Get("nonce")) < 26 || q.Get("state") == "client-state" {
		t.Errorf("the provider got %s", request)
	}
}

// TestFailureLog checks that clients cannot flood the log: failures are at level error at most once a minute.
func TestFailureLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := quick(t, nil)
		fail := func() {
			b := w.browser()
			b.stays = nil
			callback := mustParse(t, b.get(b.decide(b.get(authorizeURL(nil)), "allow").location).location)
			callback.RawQuery = url.Values{"state": callback.Query()["state"], "error": {strings.Repeat("x", 10_000)}}.Encode()
			if params := mustParse(t, b.get(callback.String()).location).Query(); params.Get("error") != "server_error" {
				t.Errorf("the client got %v", params)
			}
		}
		for range 10 {
			fail()
		}
		time.Sleep(time.Minute)
		fail()
		if text := w.log.String(); strings.Count(text, "\n") != 2 || !strings.Contains(text, "suppressed=9") || len(text) > 1000 {
			t.Errorf("the log has %s", text)
		}
	})
}
