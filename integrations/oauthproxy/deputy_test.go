package oauthproxy_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/integrations/oauthproxy"
)

// The tests in this file are the attacks of the page "Security Best Practices" of the
// specification, in its order.

// TestConsentSkipped: the provider has a session and asks nothing, and a malicious client has
// registered and sends the user a link.
func TestConsentSkipped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.net.hosts["idp.example.com"] = provider{"mallory's victim"} // redirects at once, as with a cookie
	victim := w.browser()
	malicious := w.registered(`{"client_name":"Editor","redirect_uris":["https://attacker.example/cb"]}`)
	link := authorizeURL(map[string]string{"client_id": malicious, "redirect_uri": "https://attacker.example/cb"})
	for range 2 { // also if the user has connected another client
		p := victim.get(link)
		if p.status != http.StatusOK || p.location != "" || !strings.Contains(p.text, "attacker.example") || !strings.Contains(p.text, "This name is not verified.") {
			t.Errorf("the user was not asked: %d %q %s", p.status, p.location, p.text)
		}
		if strings.Contains(strings.Join(p.header.Values("Set-Cookie"), ""), "login") {
			t.Error("a cookie of the login was set before the user consented")
		}
		if n := len(w.net.to(idp)); n != 0 {
			t.Errorf("%d requests to the provider", n)
		}
		victim.connectNow(authorizeURL(nil))
		w.net.trace = nil
	}
}

// TestConsentOfAttacker: the attacker consents in their own browser, and the victim logs in.
func TestConsentOfAttacker(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	attacker, victim := w.browser(), w.browser()
	attacker.stays = attacker.stays[:1] // stops at the provider
	atProvider := attacker.decide(attacker.get(authorizeURL(nil)), "allow")
	done := victim.login(victim.get(atProvider.location))
	if done.status != http.StatusBadRequest || done.location != "" || !strings.Contains(done.text, "another browser") {
		t.Errorf("got %d %q %s", done.status, done.location, done.text)
	}
}

// TestConsentForged: a page of another site submits the form, or the form of another browser.
func TestConsentForged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	attacker, victim := w.browser(), w.browser()
	own, stolen := victim.get(authorizeURL(nil)), attacker.get(authorizeURL(nil))
	allow := map[string]string{"decision": "allow"}
	for _, test := range []struct {
		name   string
		page   page
		change func(*http.Request)
		who    *browser
	}{
		{"of another browser", stolen, nil, victim},
		{"from another site", own, func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Origin", "https://attacker.example")
		}, victim},
		{"from another site, old browser", own, func(r *http.Request) {
			r.Header.Del("Sec-Fetch-Site")
			r.Header.Set("Origin", "https://attacker.example")
		}, victim},
		{"without cookies", own, nil, w.browser()},
		{"by GET", own, func(r *http.Request) { r.Method = http.MethodGet }, victim},
	} {
		r := test.who.form(test.page, allow)
		if test.change != nil {
			test.change(r)
		}
		if p := test.who.do(r); p.status < 400 || p.location != "" || len(w.net.to(idp)) > 0 {
			t.Errorf("%s: got %d %q", test.name, p.status, p.location)
		}
	}
	forged := victim.form(own, map[string]string{"decision": "allow", "request": "AQ"})
	if p := victim.do(forged); p.status != http.StatusBadRequest {
		t.Errorf("a forged request got %d", p.status)
	}
	if p := victim.decide(own, "allow"); p.url.Host != "idp.example.com" {
		t.Errorf("the real form leads to %s", p.url)
	}
}

// TestConsentPage: what the page must show, and how it must be protected.
func TestConsentPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, test := range []struct {
		name, redirect string
		want           []string
	}{
		{"document", redirectURI, []string{"published by <strong>app.example.org</strong>", "trust\napp.example.org"}},
		{"loopback", localURI, []string{"<strong>127.0.0.1:3000</strong>", "Any program on this device can claim to be\n<bdi>Editor</bdi>"}},
	} {
		p := w.browser().get(authorizeURL(map[string]string{"redirect_uri": test.redirect}))
		for _, want := range append(test.want, "Allow access to mcp.example.com?", "Editor", "<code>"+test.redirect+"</code>", "Read your notes <code>notes:read</code>",
			"<strong>idp.example.com</strong> <code>openid</code> <code>email</code>", resource) {
			if !strings.Contains(p.text, want) {
				t.Errorf("%s: no %q in %s", test.name, want, p.text)
			}
		}
		if strings.Contains(p.text, "notes:write") {
			t.Errorf("%s: shows a scope that was not requested", test.name)
		}
		if policy := p.header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") || p.header.Get("X-Frame-Options") != "DENY" ||
			p.header.Get("Referrer-Policy") != "same-origin" || p.header.Get("X-Content-Type-Options") != "nosniff" || p.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: the page may be in a frame: %v", test.name, p.header)
		}
	}
}

// TestClientName: a client cannot put markup, hidden or many characters on the page.
func TestClientName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for name, want := range map[string]string{
		`<script>alert(1)</script>`:     "<dd><bdi>&lt;script&gt;alert(1)&lt;/script&gt;</bdi><br>",
		`Good\u202etxt.exe\u200b\u0000`: "<dd><bdi>Goodtxt.exe</bdi><br>",
		strings.Repeat("x", 500):        "<dd><bdi>" + strings.Repeat("x", 64) + "</bdi><br>",
		`\u2066`:                        "<dd><bdi>An application without a name</bdi><br>",
		`\u3164\uffa0\u115f\ufe0f`:      "<dd><bdi>An application without a name</bdi><br>", // letters and marks that are not visible
		`Editor\u3164\u3164`:            "<dd><bdi>Editor</bdi><br>",
		`नमस्ते`:                        "<dd><bdi>नमस्ते</bdi><br>",
		`\"><input name=\"decision\">`:  "<dd><bdi>&#34;&gt;&lt;input name=&#34;decision&#34;&gt;</bdi><br>",
	} {
		id := w.registered(`{"client_name":"` + name + `","redirect_uris":["` + redirectURI + `"]}`)
		if p := w.browser().get(authorizeURL(map[string]string{"client_id": id})); !strings.Contains(p.text, want) {
			t.Errorf("%s: no %q in %s", name, want, p.text)
		}
	}
}

// TestCookies: the attributes of cookies, and when they are set.
func TestCookies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	b := w.browser()
	b.stays = nil // no redirects
	p := b.get(authorizeURL(nil))
	consent := p.header.Values("Set-Cookie")
	login := b.decide(p, "allow").header.Values("Set-Cookie")
	if len(consent) != 1 || len(login) != 1 || !strings.HasPrefix(consent[0], "__Host-mcp-consent=") || !strings.HasPrefix(login[0], "__Host-mcp-login-") {
		t.Fatalf("got %q and %q", consent, login)
	}
	for _, cookie := range []string{consent[0], login[0]} {
		_, attributes, _ := strings.Cut(cookie, "; ")
		if attributes != "Path=/; Max-Age=600; HttpOnly; Secure; SameSite=Lax" {
			t.Errorf("the attributes are %s", attributes)
		}
	}
}

// TestRedirectChanged: only registered redirect URIs are used, in requests and for errors.
func TestRedirectChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, uri := range []string{
		"", "https://attacker.example/", redirectURI + "/", redirectURI + "?x=1", redirectURI + "#x", "https://app.example.org/callback/../evil",
		"https://app.example.org:444/callback", "https://app.example.org./callback", "http://app.example.org/callback", "https://APP.example.org/callback",
		"https://app.example.org@attacker.example/callback", "https://attacker.example/https://app.example.org/callback", "https://app.example.org/Callback",
		"http://127.0.0.1:3000@attacker.example/callback", "http://127.0.0.1:3000.attacker.example/callback", "http://localhost:3000/callback",
		"http://127.0.0.2:3000/callback", "http://127.0.0.1:3000/other", "http://127.0.0.1:3000/callback?x=1", "javascript:alert(1)",
	} {
		p := w.browser().get(authorizeURL(map[string]string{"redirect_uri": uri}))
		if p.status != http.StatusBadRequest || p.location != "" || uri != "" && strings.Contains(p.text, uri) {
			t.Errorf("%s: got %d %q", uri, p.status, p.location)
		}
	}
	repeated := authorizeURL(nil) + "&redirect_uri=" + url.QueryEscape("https://attacker.example/")
	if p := w.browser().get(repeated); p.status != http.StatusBadRequest {
		t.Errorf("two redirect URIs got %d", p.status)
	}
	for _, uri := range []string{redirectURI, localURI, "http://127.0.0.1:51234/callback", "http://127.0.0.1/callback"} {
		if p := w.browser().get(authorizeURL(map[string]string{"redirect_uri": uri})); p.status != http.StatusOK {
			t.Errorf("%s: got %d %s", uri, p.status, p.text)
		}
	}
}

// TestRedirectQuery: the client gets the query of its redirect URI as it has registered it, and each parameter of a response
// once.
func TestRedirectQuery(t *testing.T) {
	t.Parallel()
	w := quick(t, nil)
	for query, want := range map[string]string{
		"":                               "",
		"?":                              "",
		"?flag":                          "flag&",
		"?a=1;b=2&c=%3b":                 "a=1;b=2&c=%3b&",
		"?b=1&a=%41+%20~&a=2":            "b=1&a=%41+%20~&a=2&",
		"?a=%zz":                         "a=%zz&",
		"?a=1&&b=?/":                     "a=1&b=?/&",
		"?code=x&a=1&state=y&iss&error=": "a=1&",
		"?%73tate=y&a=;state=z":          "a=;state=z&",
	} {
		uri := "https://app.example.org/a%2fb;c" + query
		link := authorizeURL(map[string]string{"client_id": w.registered(`{"client_name":"x","redirect_uris":["` + uri + `"]}`), "redirect_uri": uri})
		for decision, response := range map[string]string{"allow": "code=", "deny": "error=access_denied&error_description=the+user+has+refused"} {
			b := w.browser()
			p := b.decide(b.get(link), decision)
			rest, ok := strings.CutPrefix(p.location, "https://app.example.org/a%2fb;c?"+want+response)
			if _, rest, _ = strings.Cut(rest, "&"); !ok || rest != "iss=https%3A%2F%2Fmcp.example.com&state=client-state" {
				t.Errorf("%s: %s is redirected to %s", query, decision, p.location)
			}
		}
	}
}

// TestErrorRedirect checks that an error before the consent is a page, so that the server does not redirect users to
// a site that has only registered. An error after the consent is sent to the client, with the issuer.
func TestErrorRedirect(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, change := range []map[string]string{
		{"response_type": "token"},
		{"code_challenge": ""},
		{"code_challenge": "short"},
		{"code_challenge_method": "plain"},
		{"code_challenge_method": ""},
		{"resource": "https://other.example.com/mcp"},
		{"scope": "admin"},
		{"state": strings.Repeat("x", 1025)},
	} {
		p := w.browser().get(authorizeURL(change))
		if p.status != http.StatusBadRequest || p.location != "" || strings.Contains(p.text, "href") {
			t.Errorf("%v: got %d %q %s", change, p.status, p.location, p.text)
		}
	}
	b := w.browser()
	refused := b.decide(b.get(authorizeURL(nil)), "deny")
	if refused.location != redirectURI+"?error=access_denied&error_description=the+user+has+refused&iss=https%3A%2F%2Fmcp.example.com&state=client-state" {
		t.Errorf("got %q", refused.location)
	}
	if n := len(w.net.to(idp)); n != 0 {
		t.Errorf("%d requests to the provider", n)
	}
}

// TestState: the state of a login is unpredictable, valid once, for ten minutes, in one browser.
func TestState(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.net.hosts["idp.example.com"] = provider{"ann"}
		start := func() (*browser, string, string) { // a browser, its cookie, and the URL of the callback
			b := w.browser()
			b.stays = nil
			p := b.decide(b.get(authorizeURL(nil)), "allow")
			return b, p.header.Get("Set-Cookie"), b.get(p.location).location
		}
		b, cookie, callback := start()
		other, _, otherCallback := start()
		if callback == otherCallback || len(mustParse(t, callback).Query().Get("state")) < 26 {
			t.Errorf("the states of %s and %s", callback, otherCallback)
		}
		refused := func(b *browser, url, why string) {
			t.Helper()
			if p := b.get(url); p.status != http.StatusBadRequest || p.location != "" {
				t.Errorf("%s: got %d %q", why, p.status, p.location)
			}
		}
		refused(b, otherCallback, "state of another browser")
		refused(b, issuer+"/callback?code=x", "no state")
		refused(b, issuer+"/callback?code=x&state=", "empty state")
		refused(b, callback+"&state=x", "two states")
		if p := b.get(callback); !strings.HasPrefix(p.location, redirectURI+"?code=") {
			t.Fatalf("got %d %q %s", p.status, p.location, w.log)
		} else if cookie := p.header.Get("Set-Cookie"); !strings.Contains(cookie, "=; Path=/; Max-Age=0; HttpOnly; Secure") {
			t.Errorf("the cookie of the login remains: %s", cookie)
		}
		refused(b, callback, "the cookie is gone")
		replay := func() page {
			r, _ := http.NewRequest(http.MethodGet, callback, http.NoBody)
			r.Header.Set("Cookie", strings.Split(cookie, ";")[0])
			return b.do(r)
		}
		if p := replay(); p.status != http.StatusBadRequest || p.location != "" || !strings.Contains(w.log.String(), "a state was used twice") {
			t.Errorf("with the cookie: got %d %q", p.status, p.location)
		}
		w.net.hosts["idp.example.com"] = provider{"bob"} // who has logged in at the provider meanwhile
		if p := replay(); p.status != http.StatusBadRequest || p.location != "" {
			t.Errorf("for another user: got %d %q", p.status, p.location)
		}
		time.Sleep(10*time.Minute + time.Second)
		refused(other, otherCallback, "expired")
		if p := replay(); p.status != http.StatusBadRequest || p.location != "" {
			t.Errorf("with the expired cookie: got %d %q", p.status, p.location)
		}
	})
}

// TestTokenPassthrough: the server accepts only tokens that the proxy has issued for it.
func TestTokenPassthrough(t *testing.T) {
	t.Parallel()
	var ofProvider []string
	w := newWorld(t, func(c *oauthproxy.Config) {
		c.Resources = append(c.Resources, "https://mcp.example.com/other")
		c.Admit = admit(func(l *oauthproxy.Login) error {
			if !l.Refresh {
				ofProvider = append(ofProvider, l.Token.AccessToken, l.Token.Extra("id_token").(string))
			}
			return nil
		})
	})
	mine := w.connected()
	other := w.redeem(w.browser().connect(authorizeURL(map[string]string{"resource": "https://mcp.example.com/other"})).Get("code"),
		map[string]string{"resource": "https://mcp.example.com/other"})
	if len(ofProvider) != 4 || ofProvider[0] == "" || other.status != http.StatusOK {
		t.Fatalf("got %q and %v", ofProvider, other)
	}
	for name, token := range map[string]string{
		"access token of the provider": ofProvider[0], "ID token": ofProvider[1], "refresh token": mine.string("refresh_token"),
		"token for another server": other.string("access_token"), "forged": mine.string("access_token")[:60] + "A" + mine.string("access_token")[61:],
	} {
		if status, _ := w.whoami(token); status != http.StatusUnauthorized {
			t.Errorf("%s: got %d", name, status)
		}
	}
	if status, _ := w.whoami(mine.string("access_token")); status != http.StatusOK {
		t.Errorf("own token: got %d", status)
	}
}

// TestProviderTokensStay: no response to a client or a browser has a token or code of the provider.
func TestProviderTokensStay(t *testing.T) {
	t.Parallel()
	var secrets []string
	w := newWorld(t, func(c *oauthproxy.Config) {
		c.Admit = admit(func(l *oauthproxy.Login) error {
			if !l.Refresh {
				secrets = append(secrets, l.Token.AccessToken, l.Token.Extra("id_token").(string))
			}
			return nil
		})
	})
	tokens := w.connected()
	w.refresh(tokens.string("refresh_token"), nil)
	w.whoami(tokens.string("access_token"))
	secrets = append(secrets, "proxy-secret", tokens.string("access_token"))
	sent := w.net.to(issuer)
	if len(sent) < 6 {
		t.Fatalf("only %d exchanges", len(sent))
	}
	for _, e := range sent {
		for i, secret := range secrets {
			if i < 3 && strings.Contains(e.response, secret) {
				t.Errorf("the response of %s has secret %d", e.url, i)
			}
			if strings.Contains(w.log.String(), secret) {
				t.Errorf("the log has secret %d", i)
			}
		}
	}
}

// TestMixUp: a response of the provider with another issuer is refused, and each response to a
// client has the issuer, see also TestConnect and TestErrorRedirect.
func TestMixUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.net.hosts["idp.example.com"] = provider{"ann"}
	for iss, want := range map[string]string{"https://other.example.com": "server_error", idp: ""} {
		b := w.browser()
		b.stays = nil
		callback := b.get(b.decide(b.get(authorizeURL(nil)), "allow").location).location
		params := mustParse(t, b.get(callback+"&iss="+url.QueryEscape(iss)).location).Query()
		if params.Get("error") != want || params.Get("iss") != issuer || (params.Get("code") == "") != (want != "") {
			t.Errorf("%s: the client got %v", iss, params)
		}
	}
}

// TestScopes: tokens have the requested scopes that the user has consented to, and no others.
func TestScopes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *oauthproxy.Config) {
		c.Admit = admit(func(l *oauthproxy.Login) error {
			l.Scopes = append(l.Scopes, "notes:write", "admin") // a mistake
			return nil
		})
	})
	for requested, want := range map[string]string{
		"notes:read": "notes:read", "": "notes:read notes:write", "notes:read offline_access admin": "notes:read", "notes:write notes:read": "notes:read notes:write",
	} {
		tokens := w.redeem(w.browser().connect(authorizeURL(map[string]string{"scope": requested})).Get("code"), nil)
		if tokens.string("scope") != want {
			t.Errorf("%q: granted %q, want %q", requested, tokens.string("scope"), want)
		}
		if again := w.refresh(tokens.string("refresh_token"), map[string]string{"scope": "notes:read notes:write admin"}); again.string("scope") != want {
			t.Errorf("%q: refreshed %q", requested, again.string("scope"))
		}
	}
}

// TestUnknownScopes: a request for scopes of which none is available is refused, at a login and at a refresh, and does not
// use up the refresh token. A proxy without scopes ignores them.
func TestUnknownScopes(t *testing.T) {
	t.Parallel()
	w := quick(t, nil)
	if p := w.browser().get(authorizeURL(map[string]string{"scope": "admin openid"})); p.status != http.StatusBadRequest || !strings.Contains(p.text, "invalid_scope") {
		t.Errorf("got %d %s", p.status, p.text)
	}
	tokens := w.redeem(w.code(), nil)
	for _, scope := range []string{"admin", "notes:write"} { // the latter is not in the grant
		wantStatus(t, w.refresh(tokens.string("refresh_token"), map[string]string{"scope": scope}), http.StatusBadRequest, "invalid_scope")
	}
	wantStatus(t, w.refresh(tokens.string("refresh_token"), map[string]string{"scope": "admin notes:read"}), http.StatusOK, "")

	w = quick(t, func(c *oauthproxy.Config) { c.Scopes = nil })
	tokens = w.redeem(w.browser().connectNow(authorizeURL(map[string]string{"scope": "openid"})).Get("code"), nil)
	again := w.refresh(tokens.string("refresh_token"), map[string]string{"scope": "openid"})
	for _, a := range []answer{tokens, again} {
		if a.status != http.StatusOK || a.body["scope"] != "" {
			t.Errorf("without scopes: got %v", a)
		}
	}
}

func mustParse(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
