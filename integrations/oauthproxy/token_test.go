package oauthproxy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/integrations/oauthproxy"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// quick returns a world whose provider asks nothing.
func quick(t *testing.T, change func(*oauthproxy.Config)) *world {
	t.Helper()
	w := newWorld(t, change)
	w.net.hosts["idp.example.com"] = provider{"ann"}
	return w
}

// code returns a new code of the client with the document.
func (w *world) code() string {
	w.t.Helper()
	return w.browser().connectNow(authorizeURL(nil)).Get("code")
}

// TestCodeBound: a code is bound to the client, the redirect URI, PKCE and the resource. A wrong
// one of the first three means that the code is stolen, and ends it.
func TestCodeBound(t *testing.T) {
	t.Parallel()
	w := quick(t, func(c *oauthproxy.Config) { c.Resources = append(c.Resources, "https://mcp.example.com/other") })
	other := w.registered(`{"client_name":"Other","redirect_uris":["` + redirectURI + `"]}`)
	for _, test := range []struct {
		name   string
		change map[string]string
		code   string
		ends   bool
	}{
		{"another client", map[string]string{"client_id": other}, "invalid_grant", true},
		{"another document", map[string]string{"client_id": documentURL + "?2"}, "invalid_grant", true},
		{"no client", map[string]string{"client_id": ""}, "invalid_client", false},
		{"unknown client", map[string]string{"client_id": "x"}, "invalid_client", false},
		{"another redirect URI", map[string]string{"redirect_uri": localURI}, "invalid_grant", true},
		{"another verifier", map[string]string{"code_verifier": verifier + "x"}, "invalid_grant", true},
		{"no verifier", map[string]string{"code_verifier": ""}, "invalid_grant", true},
		{"the challenge", map[string]string{"code_verifier": challenge()}, "invalid_grant", true},
		{"another resource", map[string]string{"resource": "https://mcp.example.com/other"}, "invalid_target", false},
		{"unknown resource", map[string]string{"resource": "https://x.example.com"}, "invalid_target", false},
		{"no code", map[string]string{"code": ""}, "invalid_grant", false},
		{"another grant", map[string]string{"grant_type": "password"}, "unsupported_grant_type", false},
		{"code as refresh token", map[string]string{"grant_type": "refresh_token", "refresh_token": "code"}, "invalid_grant", false},
	} {
		code := w.code()
		if test.change["refresh_token"] != "" {
			test.change["refresh_token"] = code
		}
		status := http.StatusBadRequest
		if test.code == "invalid_client" {
			status = http.StatusUnauthorized
		}
		t.Run(test.name, func(t *testing.T) {
			wantStatus(t, w.redeem(code, test.change), status, test.code)
			if test.ends {
				wantStatus(t, w.redeem(code, nil), http.StatusBadRequest, "invalid_grant")
			} else {
				wantStatus(t, w.redeem(code, nil), http.StatusOK, "")
			}
		})
	}
	for name, change := range map[string]map[string]string{
		"without redirect URI": {"redirect_uri": ""}, "without resource": {"resource": ""}, "resource in another form": {"resource": "HTTPS://MCP.example.com/mcp/"},
	} {
		if a := w.redeem(w.code(), change); a.status != http.StatusOK {
			t.Errorf("%s: got %v", name, a)
		}
	}
}

// TestReuse: a code and a refresh token are valid once. The second use revokes all tokens.
func TestReuse(t *testing.T) {
	t.Parallel()
	w := quick(t, nil)
	code := w.code()
	first := w.redeem(code, nil)
	wantStatus(t, w.redeem(code, nil), http.StatusBadRequest, "invalid_grant")
	if status, _ := w.whoami(first.string("access_token")); status != http.StatusUnauthorized {
		t.Errorf("after a code was used twice, its token got %d", status)
	}
	wantStatus(t, w.refresh(first.string("refresh_token"), nil), http.StatusBadRequest, "invalid_grant")

	first = w.redeem(w.code(), nil)
	second := w.refresh(first.string("refresh_token"), nil)
	third := w.refresh(second.string("refresh_token"), nil)
	wantStatus(t, third, http.StatusOK, "")
	wantStatus(t, w.refresh(first.string("refresh_token"), nil), http.StatusBadRequest, "invalid_grant")
	for _, a := range []answer{first, second, third} {
		if status, _ := w.whoami(a.string("access_token")); status != http.StatusUnauthorized {
			t.Errorf("after a refresh token was used twice, a token of its family got %d", status)
		}
	}
	wantStatus(t, w.refresh(third.string("refresh_token"), nil), http.StatusBadRequest, "invalid_grant")
	if log := w.log.String(); strings.Count(log, "used twice") != 2 || !strings.Contains(log, "client=Editor") {
		t.Errorf("the log is %s", log)
	}
	other := w.registered(`{"client_name":"Other","redirect_uris":["` + redirectURI + `"]}`)
	stolen := w.redeem(w.code(), nil)
	wantStatus(t, w.refresh(stolen.string("refresh_token"), map[string]string{"client_id": other}), http.StatusBadRequest, "invalid_grant")
	wantStatus(t, w.refresh(stolen.string("refresh_token"), nil), http.StatusBadRequest, "invalid_grant")
}

// TestRefreshRepeated: for 30 seconds, the refresh token that was used last gets the current tokens again. After that, and
// if it is older, its use is theft.
func TestRefreshRepeated(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		grace    time.Duration
		wait     time.Duration // between the refresh and its repetition
		newer    bool          // the client has refreshed again meanwhile
		change   map[string]string
		accepted bool
	}{
		{"at once", 0, 0, false, nil, true},
		{"before the end of the grace", 0, 30*time.Second - 1, false, nil, true},
		{"at the end of the grace", 0, 30 * time.Second, false, nil, false},
		{"older than the latest", 0, 0, true, nil, false},
		{"longer grace", time.Minute, time.Minute - 1, false, nil, true},
		{"no grace", oauthproxy.NoRefreshGrace, 0, false, nil, false},
		{"by another client", 0, 0, false, map[string]string{"client_id": documentURL + "?2"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := quick(t, func(c *oauthproxy.Config) { c.RefreshGrace = test.grace })
				first := w.redeem(w.code(), nil)
				time.Sleep(time.Hour)
				lost := w.refresh(first.string("refresh_token"), nil)
				time.Sleep(test.wait)
				if test.newer {
					lost = w.refresh(lost.string("refresh_token"), nil)
				}
				again := w.refresh(first.string("refresh_token"), test.change)
				if !test.accepted {
					wantStatus(t, again, http.StatusBadRequest, "invalid_grant")
					if status, _ := w.whoami(lost.string("access_token")); status != http.StatusUnauthorized {
						t.Errorf("after the theft, the access token of the client got %d", status)
					}
					return
				}
				wantStatus(t, again, http.StatusOK, "")
				for _, a := range []answer{lost, again} {
					if status, who := w.whoami(a.string("access_token")); status != http.StatusOK || who != idp+"#ann" {
						t.Errorf("an access token got %d, %q", status, who)
					}
				}
				wantStatus(t, w.refresh(lost.string("refresh_token"), nil), http.StatusOK, "")
				wantStatus(t, w.refresh(again.string("refresh_token"), nil), http.StatusOK, "") // both were the current one
				wantStatus(t, w.refresh(first.string("refresh_token"), nil), http.StatusBadRequest, "invalid_grant")
				wantStatus(t, w.refresh(lost.string("refresh_token"), nil), http.StatusBadRequest, "invalid_grant")
			})
		})
	}
}

// TestRefreshGraceEnds: repeating a refresh does not extend the time in which it can be repeated, and does not ask Admit.
func TestRefreshGraceEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		w := quick(t, func(c *oauthproxy.Config) { c.Admit = admit(func(*oauthproxy.Login) error { asked++; return nil }) })
		first := w.redeem(w.code(), nil)
		w.refresh(first.string("refresh_token"), nil)
		for range 2 {
			time.Sleep(14 * time.Second)
			wantStatus(t, w.refresh(first.string("refresh_token"), nil), http.StatusOK, "")
		}
		if asked != 2 { // the login and the refresh
			t.Errorf("Admit was called %d times", asked)
		}
		time.Sleep(2 * time.Second)
		wantStatus(t, w.refresh(first.string("refresh_token"), nil), http.StatusBadRequest, "invalid_grant")
	})
}

// TestConcurrentRefresh: of concurrent refreshes by several processes of a client each gets tokens that work.
func TestConcurrentRefresh(t *testing.T) {
	t.Parallel()
	w := quick(t, nil)
	first := w.redeem(w.code(), nil)
	var all [8]answer
	var wait sync.WaitGroup
	for i := range all {
		wait.Go(func() { all[i] = w.refresh(first.string("refresh_token"), nil) })
	}
	wait.Wait()
	for i, a := range all {
		if status, _ := w.whoami(a.string("access_token")); a.status != http.StatusOK || status != http.StatusOK {
			t.Errorf("refresh %d got %d, and its access token %d", i, a.status, status)
		}
	}
	for i, a := range all[:2] {
		if a := w.refresh(a.string("refresh_token"), nil); a.status != http.StatusOK {
			t.Errorf("refresh token %d got %v", i, a)
		}
	}
}

// TestConcurrentReuse: of concurrent uses of a token at most one succeeds, and then the grant is
// revoked.
func TestConcurrentReuse(t *testing.T) {
	t.Parallel()
	w := quick(t, nil)
	code := w.code()
	var all [8]answer
	var wait sync.WaitGroup
	for i := range all {
		wait.Go(func() { all[i] = w.redeem(code, nil) })
	}
	wait.Wait()
	successes := 0
	for _, a := range all {
		if a.status == http.StatusOK {
			successes++
			if status, _ := w.whoami(a.string("access_token")); status != http.StatusUnauthorized {
				t.Errorf("the token of a stolen code got %d", status)
			}
		}
	}
	if successes > 1 {
		t.Errorf("%d uses succeeded", successes)
	}
}

// TestExpiry: a code is valid for a minute, an access token for its TTL, and a login for its own.
func TestExpiry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := quick(t, func(c *oauthproxy.Config) { c.LoginTTL = 24 * time.Hour })
		late := w.code()
		tokens := w.redeem(w.code(), nil)
		time.Sleep(time.Minute + time.Second)
		wantStatus(t, w.redeem(late, nil), http.StatusBadRequest, "invalid_grant")
		if status, _ := w.whoami(tokens.string("access_token")); status != http.StatusOK {
			t.Errorf("after a minute: got %d", status)
		}
		time.Sleep(time.Hour)
		if status, _ := w.whoami(tokens.string("access_token")); status != http.StatusUnauthorized {
			t.Errorf("after an hour: got %d", status)
		}
		tokens = w.refresh(tokens.string("refresh_token"), nil)
		time.Sleep(22*time.Hour + 30*time.Minute)
		tokens = w.refresh(tokens.string("refresh_token"), nil)
		if seconds := tokens.body["expires_in"]; seconds != float64(28*60+59) {
			t.Errorf("the last access token expires in %v s", seconds)
		}
		time.Sleep(time.Hour)
		wantStatus(t, w.refresh(tokens.string("refresh_token"), nil), http.StatusBadRequest, "invalid_grant")
	})
}

// TestLoginTTLShortened: a login that is longer ago than LoginTTL, which was shortened meanwhile, gives no tokens.
func TestLoginTTLShortened(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := oauthproxy.NewMemory(0)
		w := quick(t, func(c *oauthproxy.Config) { c.Store = store })
		tokens := w.redeem(w.code(), nil)
		time.Sleep(2 * time.Hour)
		c := config(w)
		c.Store, c.LoginTTL = store, time.Hour
		w.start(c)
		wantStatus(t, w.refresh(tokens.string("refresh_token"), nil), http.StatusBadRequest, "invalid_grant")
		c.LoginTTL = 3 * time.Hour
		w.start(c)
		wantStatus(t, w.refresh(tokens.string("refresh_token"), nil), http.StatusOK, "")
	})
}

// TestAdmit: the program decides at each login and refresh.
func TestAdmit(t *testing.T) {
	t.Parallel()
	var err error
	var last oauthproxy.Login
	w := quick(t, func(c *oauthproxy.Config) {
		c.Admit = admit(func(l *oauthproxy.Login) error {
			last = *l
			if !l.Refresh {
				l.Principal, l.Tenant = "ann@example.com", "acme"
			} else {
				l.Tenant = "globex" // has no effect at a refresh
			}
			return err
		})
	})
	tokens := w.redeem(w.code(), nil)
	if last.Principal != idp+"#ann" || last.ClientID != documentURL || last.ClientName != "Editor" || last.Resource != resource || last.Token == nil || !strings.Contains(string(last.Claims), `"sub":"ann"`) {
		t.Errorf("got %+v", last)
	}
	if status, who := w.whoami(tokens.string("access_token")); status != http.StatusOK || who != "ann@example.com" {
		t.Errorf("the call got %d, %q", status, who)
	}
	err = errors.New("the directory is down")
	wantStatus(t, w.refresh(tokens.string("refresh_token"), nil), http.StatusInternalServerError, "server_error")
	err = nil
	tokens = w.refresh(tokens.string("refresh_token"), nil)
	if token, err := w.proxy.Verify(t.Context(), tokens.string("access_token")); err != nil || token.Tenant != "acme" {
		t.Errorf("after a refresh the token has the tenant %q and error %v, want acme", token.Tenant, err)
	}
	if last.Principal != "ann@example.com" || !last.Refresh || last.Token != nil || last.Claims != nil {
		t.Errorf("at the refresh got %+v", last)
	}
	err = fmt.Errorf("left the company: %w", oauthproxy.ErrDenied)
	wantStatus(t, w.refresh(tokens.string("refresh_token"), nil), http.StatusBadRequest, "invalid_grant")
	if status, _ := w.whoami(tokens.string("access_token")); status != http.StatusUnauthorized {
		t.Errorf("the token of a denied user got %d", status)
	}
	if params := w.browser().connectDenied(authorizeURL(nil)); params.Get("error") != "access_denied" {
		t.Errorf("the client got %v", params)
	}
	if !strings.Contains(w.log.String(), `level=INFO msg="login denied" reason="left the company: access denied"`) {
		t.Errorf("the log is %s", w.log)
	}
	w = quick(t, func(c *oauthproxy.Config) { c.Store = oauthproxy.NewMemory(1) })
	w.code()
	w.net.hosts["idp.example.com"] = provider{"bob"}
	if params := w.browser().connectDenied(authorizeURL(nil)); params.Get("error") != "temporarily_unavailable" {
		t.Errorf("with a full store the client got %v", params)
	}
}

// TestAdmitMistakes: whatever Admit changes of a login by mistake, the tokens are for the user and resource that were
// consented to, also after a refresh.
func TestAdmitMistakes(t *testing.T) {
	t.Parallel()
	w := quick(t, func(c *oauthproxy.Config) {
		c.Admit = admit(func(l *oauthproxy.Login) error {
			var claims struct{ Sub string }
			_ = json.Unmarshal(l.Claims, &claims) // a mistake: there are none at a refresh
			l.Principal = claims.Sub
			l.Resource, l.ClientID = "https://other.example.com/mcp", "https://other.example.com/client.json"
			l.Scopes = slices.DeleteFunc(l.Scopes, func(s string) bool { return s == "notes:write" })
			return nil
		})
	})
	tokens := w.redeem(w.browser().connectNow(authorizeURL(map[string]string{"scope": ""})).Get("code"), nil)
	for range 3 {
		if status, who := w.whoami(tokens.string("access_token")); status != http.StatusOK || who != "ann" || tokens.string("scope") != "notes:read" {
			t.Errorf("got %d, %q, %v", status, who, tokens)
		}
		tokens = w.refresh(tokens.string("refresh_token"), nil)
	}
}

// TestAdmitNobody: a login without a principal fails.
func TestAdmitNobody(t *testing.T) {
	t.Parallel()
	w := quick(t, func(c *oauthproxy.Config) {
		c.Admit = admit(func(l *oauthproxy.Login) error { l.Principal = ""; return nil })
	})
	if params := w.browser().connectDenied(authorizeURL(nil)); params.Get("error") != "server_error" || !strings.Contains(w.log.String(), "Admit has removed the Principal") {
		t.Errorf("the client got %v, and the log has %s", params, w.log)
	}
}

// spyStore notes the last update, and with stolen it lets another use of the same version win.
type spyStore struct {
	*oauthproxy.Grants

	last   oauthproxy.Grant
	stolen bool
}

func (s *spyStore) Update(ctx context.Context, g oauthproxy.Grant) error {
	s.last = g
	if s.stolen {
		_ = s.Grants.Update(ctx, g)
	}
	return s.Grants.Update(ctx, g)
}

// TestStolenMeanwhile: if another request uses a code first, the grant of both ends.
func TestStolenMeanwhile(t *testing.T) {
	t.Parallel()
	store := &spyStore{Grants: oauthproxy.NewMemory(0), stolen: true}
	w := quick(t, func(c *oauthproxy.Config) { c.Store = store })
	wantStatus(t, w.redeem(w.code(), nil), http.StatusBadRequest, "invalid_grant")
	if _, err := store.Get(t.Context(), store.last.Owner, store.last.ID); !errors.Is(err, oauthproxy.ErrNotFound) {
		t.Errorf("the grant remains: %v", err)
	}
}

// TestRefreshedMeanwhile checks that if another request uses a refresh token first, the second also gets tokens, but only
// with a grace period.
func TestRefreshedMeanwhile(t *testing.T) {
	t.Parallel()
	for grace, code := range map[time.Duration]string{0: "", oauthproxy.NoRefreshGrace: "invalid_grant"} {
		store := &spyStore{Grants: oauthproxy.NewMemory(0)}
		w := quick(t, func(c *oauthproxy.Config) { c.Store, c.RefreshGrace = store, grace })
		tokens := w.redeem(w.code(), nil)
		store.stolen = true
		a := w.refresh(tokens.string("refresh_token"), nil)
		store.stolen = false
		if a.string("error") != code {
			t.Errorf("with grace %v: got %v", grace, a)
		}
		if status, _ := w.whoami(a.string("access_token")); code == "" && status != http.StatusOK {
			t.Errorf("the access token got %d", status)
		}
		if a := w.refresh(a.string("refresh_token"), nil); code == "" && a.status != http.StatusOK {
			t.Errorf("the next refresh got %v", a)
		}
	}
}

// TestRefreshUnlisted: a client gets a refresh token whatever grant types it lists, by registration or in its document. The
// login ends after LoginTTL nevertheless, and the grant with it.
func TestRefreshUnlisted(t *testing.T) {
	t.Parallel()
	for name, grants := range map[string]string{"none": "", "only codes": `,"grant_types":["authorization_code"]`, "both": `,"grant_types":["authorization_code","refresh_token"]`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := &spyStore{Grants: oauthproxy.NewMemory(0)}
				w := quick(t, func(c *oauthproxy.Config) { c.Store = store })
				metadata := `{"client_name":"Once","client_id":"` + documentURL + `","redirect_uris":["` + redirectURI + `"]` + grants + `}`
				w.net.hosts["app.example.org"] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					_, _ = io.WriteString(w, metadata)
				})
				registered := w.register(metadata)
				if got := fmt.Sprint(registered.body["grant_types"]); got != "[authorization_code refresh_token]" {
					t.Errorf("registered for the grant types %s", got)
				}
				for _, id := range []string{documentURL, registered.string("client_id")} {
					own := map[string]string{"client_id": id}
					a := w.redeem(w.browser().connectNow(authorizeURL(own)).Get("code"), own)
					end := time.Now().Add(30 * 24 * time.Hour)
					token, err := w.proxy.Verify(t.Context(), a.string("access_token"))
					if err != nil || time.Until(token.Expiry) != time.Hour || !store.last.Expires.Equal(end) || len(token.Audience) != 1 || token.Audience[0] != resource {
						t.Errorf("got %+v, %v; the grant expires at %v", token, err, store.last.Expires)
					}
					time.Sleep(time.Until(end) - time.Second)
					a = w.refresh(a.string("refresh_token"), own)
					wantStatus(t, a, http.StatusOK, "")
					time.Sleep(time.Second)
					wantStatus(t, w.refresh(a.string("refresh_token"), own), http.StatusBadRequest, "invalid_grant")
					if status, _ := w.whoami(a.string("access_token")); status != http.StatusUnauthorized {
						t.Errorf("after LoginTTL the access token got %d", status)
					}
				}
			})
		})
	}
}

// TestRevoke: only the client of a token can revoke it.
func TestRevoke(t *testing.T) {
	t.Parallel()
	w := quick(t, nil)
	tokens := w.redeem(w.code(), nil)
	for _, test := range []struct {
		name, token, client, code string
		status                    int
	}{
		{"another client", tokens.string("refresh_token"), documentURL + "?2", "invalid_client", http.StatusUnauthorized},
		{"unknown token", "x", documentURL, "", http.StatusOK},
		{"code", w.code(), documentURL, "", http.StatusOK},
	} {
		t.Run(test.name, func(t *testing.T) {
			wantStatus(t, w.post("/revoke", with(map[string]string{"token": test.token, "client_id": test.client}, nil)), test.status, test.code)
		})
	}
	if status, _ := w.whoami(tokens.string("access_token")); status != http.StatusOK {
		t.Errorf("the token that was not revoked got %d", status)
	}
	for range 2 {
		wantStatus(t, w.post("/revoke", with(map[string]string{"token": tokens.string("access_token"), "client_id": documentURL}, nil)), http.StatusOK, "")
	}
	wantStatus(t, w.refresh(tokens.string("refresh_token"), nil), http.StatusBadRequest, "invalid_grant")
}

// TestInstances: instances with the same keys and store serve the same clients, also after a change
// of keys; others do not.
func TestInstances(t *testing.T) {
	t.Parallel()
	store := oauthproxy.NewMemory(0)
	w := quick(t, func(c *oauthproxy.Config) { c.Store = store })
	id := w.registered(`{"client_name":"Old","redirect_uris":["` + redirectURI + `"],"grant_types":["authorization_code","refresh_token"]}`)
	own := map[string]string{"client_id": id}
	tokens := w.redeem(w.browser().connectNow(authorizeURL(own)).Get("code"), own)
	if tokens.string("refresh_token") == "" {
		t.Errorf("no refresh token: %v", tokens)
	}
	for _, test := range []struct {
		name   string
		keys   [][32]byte
		status int
	}{
		{"same keys", [][32]byte{{1}}, http.StatusOK},
		{"new key first", [][32]byte{{2}, {1}}, http.StatusOK},
		{"old key removed", [][32]byte{{2}}, http.StatusUnauthorized},
		{"random key", nil, http.StatusUnauthorized},
	} {
		c := config(w)
		c.Store, c.Keys = store, test.keys
		w.start(c)
		if status, _ := w.whoami(tokens.string("access_token")); status != test.status {
			t.Errorf("%s: got %d", test.name, status)
		}
		if test.status == http.StatusOK {
			if p := w.browser().get(authorizeURL(own)); p.status != http.StatusOK {
				t.Errorf("%s: the client got %d", test.name, p.status)
			}
			continue
		}
		// invalid_client makes clients register again
		wantStatus(t, w.refresh(tokens.string("refresh_token"), own), http.StatusUnauthorized, "invalid_client")
	}
}

// brokenStore is a store whose file is gone.
type brokenStore struct{ oauthproxy.Store }

func (brokenStore) Get(context.Context, string, string) (oauthproxy.Grant, error) {
	return oauthproxy.Grant{}, errors.New("disk failure")
}

// TestStoreFails: a failure of the store is not an invalid token, and does not reach the client.
func TestStoreFails(t *testing.T) {
	t.Parallel()
	w := quick(t, func(c *oauthproxy.Config) { c.Store = brokenStore{oauthproxy.NewMemory(0)} })
	a := w.redeem(w.code(), nil)
	wantStatus(t, a, http.StatusInternalServerError, "server_error")
	if strings.Contains(fmt.Sprint(a), "disk") || !strings.Contains(w.log.String(), "disk failure") {
		t.Errorf("got %v, log %s", a, w.log)
	}
	working := quick(t, nil)
	token := working.redeem(working.code(), nil).string("access_token")
	if _, err := w.proxy.Verify(t.Context(), token); err == nil || errors.Is(err, streamhttp.ErrInvalidToken) {
		t.Errorf("got %v", err)
	}
	if status, _ := w.whoami(token); status != http.StatusServiceUnavailable {
		t.Errorf("got %d", status)
	}
}
