package jwtauth_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/integrations/jwtauth"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

const introspectPath = "/oauth/introspect"

// introspection selects introspection with the credentials of this server.
func introspection(o *jwtauth.Options) {
	o.Introspection = &jwtauth.Introspection{ClientID: "mcp", ClientSecret: "se:cret"}
}

// opaque returns an authority that issues opaque tokens.
func opaque(t *testing.T) *authority {
	t.Helper()
	a := newAuthority(t, issuerURL)
	a.jwts = false
	return a
}

// introspected fails the test unless the endpoint has been requested n times.
func (a *authority) introspected(t *testing.T, n int) {
	t.Helper()
	if got := a.asked(introspectPath); got != n {
		t.Errorf("%d introspections, want %d", got, n)
	}
}

// TestIntrospection: AUTH-09 AUTH-10, opaque tokens of a real authorization server, which are valid
// until they are revoked, with the delay of the cache.
func TestIntrospection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := opaque(t)
		v := a.verifier(t, introspection)
		text := a.login(t, "notes:read", "notes:write")
		got, err := v.Verify(t.Context(), text)
		if err != nil || got.Principal != issuerURL+"#sid1" || strings.Join(got.Scopes, " ") != "notes:read notes:write" ||
			got.Audience[0] != resource || time.Until(got.Expiry) < 4*time.Minute || time.Until(got.Expiry) > 6*time.Minute {
			t.Errorf("%+v, %v", got, err)
		}
		a.revoke()
		time.Sleep(time.Minute - time.Second)
		verify(t, v, text)
		a.introspected(t, 1)
		time.Sleep(time.Second)
		refuse(t, v, text)
		refuse(t, v, text)
		a.introspected(t, 2)
		time.Sleep(10 * time.Second)
		refuse(t, v, text)
		a.introspected(t, 3)
		refuse(t, v, "made-up")
	})
}

// TestIntrospectionExpiry: event streams that are open when their token is revoked end after ten
// minutes at the latest, unless Map sets another time. Results in the cache have not expired.
func TestIntrospectionExpiry(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		exp   string
		allow time.Duration // set by Map
		want  time.Duration
	}{
		{"none", "", 0, 10 * time.Minute},
		{"soon", `,"exp":946684860`, 0, time.Minute + 30*time.Second}, // in a minute
		{"late", `,"exp":946771200`, 0, 10 * time.Minute},             // in a day
		{"Map", "", time.Hour, time.Hour},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := opaque(t)
				a.fail(answers(introspectPath, http.StatusOK, `{"active":true,"sub":"u1","scope":"mcp","aud":"`+resource+`"`+test.exp+`}`))
				e := protect(t, a.verifier(t, func(o *jwtauth.Options) {
					introspection(o)
					o.Map = func(_ *jwtauth.Claims, token *streamhttp.Token) error {
						if test.allow > 0 {
							token.Expiry = time.Now().Add(test.allow)
						}
						return nil
					}
				}).Verify)
				began := e.post(t, "opaque", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
				if lasted := e.stream(t, "opaque", began.Header().Get("Mcp-Session-Id")); lasted != test.want {
					t.Errorf("the stream lasted %v, want %v", lasted, test.want)
				}
				e.close(t)
			})
		})
	}
}

// TestIntrospectionOnce: concurrent requests with one token ask once, and a request that ends does
// not end the others.
func TestIntrospectionOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := opaque(t)
		v := a.verifier(t, introspection)
		text := a.login(t)
		a.fail(func(*http.Request) (*http.Response, error) { time.Sleep(time.Second); return nil, nil })
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { verify(t, v, text) })
		}
		all.Wait()
		a.introspected(t, 1)
	})
}

// TestIntrospectionDisconnected: a client that disconnects does not end the request that others
// wait for.
func TestIntrospectionDisconnected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := opaque(t)
		v := a.verifier(t, introspection)
		text := a.login(t)
		a.fail(func(r *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return nil, r.Context().Err()
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		go v.Verify(ctx, text)
		synctest.Wait()
		verify(t, v, text)
		a.introspected(t, 1)
	})
}

// TestIntrospectionUncached: without a cache each request asks, also about inactive tokens.
func TestIntrospectionUncached(t *testing.T) {
	t.Parallel()
	a := opaque(t)
	v := a.verifier(t, func(o *jwtauth.Options) { introspection(o); o.CacheFor = jwtauth.NoCache })
	text := a.login(t)
	verify(t, v, text)
	verify(t, v, text)
	a.revoke()
	refuse(t, v, text)
	refuse(t, v, text)
	a.introspected(t, 4)
}

// TestIntrospectionAnswers: AUTH-09, what an answer means.
func TestIntrospectionAnswers(t *testing.T) {
	t.Parallel()
	const valid, refused, later = "valid", "refused", "later"
	anyAudience := func(o *jwtauth.Options) { o.Introspection.AllowNoAudience, o.Resource = true, resource }
	in := func(d time.Duration) string { return fmt.Sprint(time.Now().Add(d).Unix()) }
	tests := []struct {
		name   string
		status int
		body   string // after "active":
		change func(*jwtauth.Options)
		want   string
	}{
		{"AUTH-09 active", 200, `true,"aud":"` + resource + `","sub":"u1"`, nil, valid},
		{"AUTH-09 inactive", 200, `false,"aud":"` + resource + `","sub":"u1"`, nil, refused},
		{"AUTH-09 active in text", 200, `"true","aud":"` + resource + `","sub":"u1"`, nil, refused},
		{"AUTH-09 active is null", 200, `null,"aud":"` + resource + `","sub":"u1"`, nil, refused},
		{"AUTH-09 expired", 200, `true,"aud":"` + resource + `","sub":"u1","exp":1000`, nil, refused},
		{"AUTH-09 not expired", 200, `true,"aud":"` + resource + `","sub":"u1","exp":` + in(time.Hour), nil, valid},
		{"AUTH-09 not yet valid", 200, `true,"aud":"` + resource + `","sub":"u1","nbf":` + in(time.Hour), nil, refused},
		{"AUTH-09 the issuer", 200, `true,"aud":"` + resource + `","sub":"u1","iss":"` + issuerURL + `"`, nil, valid},
		{"AUTH-09 another issuer", 200, `true,"aud":"` + resource + `","sub":"u1","iss":"https://evil.example.com"`, nil, refused},
		{"AUTH-09 no audience", 200, `true,"sub":"u1"`, nil, refused},
		{"AUTH-09 no audience, allowed", 200, `true,"sub":"u1"`, anyAudience, valid},
		{"AUTH-09 another audience, where none is allowed", 200, `true,"sub":"u1","aud":"https://other.example.com"`, anyAudience, "another"},
		{"AUTH-12 bound to a key", 200, `true,"aud":"` + resource + `","sub":"u1","cnf":{"jkt":"x"}`, nil, refused},
		{"an access token of Hydra", 200, `true,"aud":"` + resource + `","sub":"u1","token_type":"Bearer","token_use":"access_token"`, nil, valid},
		{"a refresh token of Hydra", 200, `true,"aud":"` + resource + `","sub":"u1","token_type":"Bearer","token_use":"refresh_token"`, nil, refused},
		{"an access token of Keycloak", 200, `true,"aud":"` + resource + `","sub":"u1","typ":"Bearer"`, nil, valid},
		{"a refresh token of Keycloak", 200, `true,"aud":"` + resource + `","sub":"u1","typ":"Refresh"`, nil, refused},
		{"an offline token of Keycloak", 200, `true,"sub":"u1","typ":"Offline"`, anyAudience, refused},
		{"a refresh token by its type", 200, `true,"sub":"u1","token_type":"refresh_token"`, anyAudience, refused},
		{"an ID token", 200, `true,"sub":"u1","token_use":"id"`, anyAudience, refused},
		{"a type that is no text", 200, `true,"sub":"u1","token_type":["refresh_token"],"typ":{}`, anyAudience, valid},
		{"AUTH-18 users without a subject", 200, `true,"aud":"` + resource + `","client_id":"webapp","username":"ada"`, nil, refused},
		{"AUTH-18 a user with a subject", 200, `true,"aud":"` + resource + `","client_id":"webapp","username":"ada","sub":"u1"`, nil, valid},
		{"AUTH-18 a client", 200, `true,"aud":"` + resource + `","client_id":"webapp","username":null`, nil, valid},
		{"AUTH-09 inactive, with null", 200, `false,"scope":null,"aud":null,"exp":null,"sub":null`, nil, refused},
		{"AUTH-09 inactive, with a mistake", 200, `false,"aud":1,"jti":7`, nil, refused},
		{"AUTH-09 active, with null", 200, `true,"aud":"` + resource + `","sub":"u1","scope":null,"exp":null,"cnf":null`, nil, valid},
		{"AUTH-09 the audience is null", 200, `true,"aud":null,"sub":"u1"`, nil, refused},
		{"AUTH-09 active twice", 200, `false,"active":true,"aud":"` + resource + `","sub":"u1"`, nil, later},
		{"AUTH-10 an error", 500, `true`, nil, later},
		{"AUTH-10 our credentials are wrong", 401, `false`, nil, later},
		{"AUTH-10 too many requests", 429, `false`, nil, later},
		{"AUTH-10 no JSON", 200, `maybe`, nil, later},
		{"AUTH-10 a list", 200, `true, "aud": 1`, nil, later},
		{"AUTH-10 a long answer", 200, `true,"x":"` + strings.Repeat("x", 300<<10) + `"`, nil, later},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := opaque(t)
			a.fail(answers(introspectPath, test.status, `{"active":`+test.body+`}`))
			got, err := a.verifier(t, func(o *jwtauth.Options) {
				introspection(o)
				if test.change != nil {
					test.change(o)
				}
			}).Verify(t.Context(), "x")
			is := valid
			switch {
			case invalid(err):
				is = refused
			case unavailable(err) >= 0:
				is = later
			case err != nil || !slices.Contains(got.Audience, resource):
				is = "another"
			}
			if is != test.want {
				t.Errorf("%s, want %s: %+v, %v", is, test.want, got, err)
			}
		})
	}
}

// TestIntrospectionFails: AUTH-10, while the endpoint cannot be reached tokens are neither valid
// nor invalid, except those in the cache, and the next request asks again.
func TestIntrospectionFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := opaque(t)
		v := a.verifier(t, introspection)
		known, other := a.login(t), a.login(t)
		verify(t, v, known)
		a.fail(down)
		verify(t, v, known)
		postpone(t, v, other, 0)
		a.fail(slow)
		start := time.Now()
		postpone(t, v, other, 0)
		if waited := time.Since(start); waited != 5*time.Second {
			t.Errorf("waited %v", waited)
		}
		a.fail(nil)
		verify(t, v, other)
	})
}

// TestIntrospectionCredentials: with wrong credentials, no token is called invalid, because that
// would make its client get another.
func TestIntrospectionCredentials(t *testing.T) {
	t.Parallel()
	a := opaque(t)
	v := a.verifier(t, func(o *jwtauth.Options) { introspection(o); o.Introspection.ClientSecret = "wrong" })
	if _, err := v.Verify(t.Context(), a.login(t)); unavailable(err) < 0 || !strings.Contains(err.Error(), "status 401") {
		t.Error(err)
	}
}

// TestIntrospectionBounded: made-up tokens cause at most 32 requests at a time.
func TestIntrospectionBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := opaque(t)
		v := a.verifier(t, introspection)
		refuse(t, v, "made-up")
		a.fail(slow)
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() { postpone(t, v, fmt.Sprint("made-up-", i), 0) })
		}
		synctest.Wait()
		a.introspected(t, 1+32)
		all.Wait()
	})
}

// at returns a context for a request of the client at an address.
func at(t *testing.T, address string) context.Context {
	t.Helper()
	return streamhttp.WithAccess(t.Context(), runtime.Access{Address: netip.MustParseAddr(address)})
}

// slowFor makes the endpoint not answer about made-up tokens.
func slowFor(r *http.Request) (*http.Response, error) {
	body, err := r.GetBody()
	if err != nil {
		return nil, err
	}
	if text, _ := io.ReadAll(body); strings.Contains(string(text), "made-up") {
		return slow(r)
	}
	return nil, nil
}

// TestIntrospectionShares: made-up tokens of one address use a part of the requests, so that others do not wait; and of many
// addresses, those that wait take turns.
func TestIntrospectionShares(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := opaque(t)
		v := a.verifier(t, introspection)
		text, other := a.login(t), a.login(t)
		refuse(t, v, "made-up")
		a.fail(slowFor)
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() { _, _ = v.Verify(at(t, "203.0.113.7"), fmt.Sprint("made-up-", i)) })
		}
		synctest.Wait()
		a.introspected(t, 1+8)
		start := time.Now()
		if _, err := v.Verify(at(t, "203.0.113.8"), text); err != nil || time.Since(start) != 0 {
			t.Errorf("another client got %v after %v", err, time.Since(start))
		}
		all.Wait()
		before := a.asked(introspectPath)
		for i := range 90 {
			all.Go(func() { _, _ = v.Verify(at(t, fmt.Sprintf("203.0.113.%d", i%9)), fmt.Sprint("made-up-", i)) })
		}
		synctest.Wait()
		a.introspected(t, before+32)
		time.Sleep(4 * time.Second) // the requests that wait are too old when the first ones end
		if _, err := v.Verify(at(t, "203.0.113.99"), other); err != nil {
			t.Errorf("another client got %v", err)
		}
		all.Wait()
	})
}

// TestIntrospectionOverload: while all requests are in use, the result for a valid token is used for five minutes more,
// unless the token has expired or is known to be revoked; an unknown token waits.
func TestIntrospectionOverload(t *testing.T) {
	t.Parallel()
	lasting := func(d time.Duration) func(*jwtauth.Options) { // tokens that are valid for this time
		return func(o *jwtauth.Options) {
			introspection(o)
			o.Map = func(_ *jwtauth.Claims, token *streamhttp.Token) error {
				token.Expiry = time.Now().Add(d)
				return nil
			}
		}
	}
	for _, test := range []struct {
		name    string
		options func(*jwtauth.Options)
		before  func(t *testing.T, a *authority, v *jwtauth.Verifier, text string) // between the first request and the overload
		valid   bool
	}{
		{"just expired in the cache", introspection, func(*testing.T, *authority, *jwtauth.Verifier, string) { time.Sleep(time.Minute) }, true},
		{"before the end", lasting(time.Hour), func(*testing.T, *authority, *jwtauth.Verifier, string) { time.Sleep(5*time.Minute + 58*time.Second) }, true},
		{"at the end", lasting(time.Hour), func(*testing.T, *authority, *jwtauth.Verifier, string) { time.Sleep(6 * time.Minute) }, false},
		{"the token has expired", lasting(90 * time.Second), func(*testing.T, *authority, *jwtauth.Verifier, string) { time.Sleep(90 * time.Second) }, false},
		{"revoked", introspection, func(t *testing.T, a *authority, v *jwtauth.Verifier, text string) {
			t.Helper()
			a.revoke()
			time.Sleep(time.Minute)
			refuse(t, v, text)
			time.Sleep(10 * time.Second)
		}, false},
		{"without a cache", func(o *jwtauth.Options) { introspection(o); o.CacheFor = jwtauth.NoCache }, func(*testing.T, *authority, *jwtauth.Verifier, string) {}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := opaque(t)
				v := a.verifier(t, test.options)
				text := a.login(t)
				verify(t, v, text)
				test.before(t, a, v, text)
				unknown := a.login(t)
				a.fail(slowFor)
				var all sync.WaitGroup
				for i := range 32 {
					all.Go(func() { _, _ = v.Verify(at(t, fmt.Sprintf("203.0.113.%d", i)), fmt.Sprint("made-up-", i)) })
				}
				synctest.Wait()
				time.Sleep(time.Second)
				start := time.Now()
				all.Go(func() { // it waits until the first requests end
					if _, err := v.Verify(at(t, "203.0.113.99"), unknown); err != nil || time.Since(start) != 4*time.Second {
						t.Errorf("an unknown token got %v after %v", err, time.Since(start))
					}
				})
				_, err := v.Verify(at(t, "203.0.113.98"), text)
				if used := err == nil && time.Since(start) == 500*time.Millisecond; used != test.valid {
					t.Errorf("after %v got %v, want the old result: %v", time.Since(start), err, test.valid)
				}
				all.Wait()
			})
		})
	}
}

// TestIntrospectionURL: it takes the place of the metadata; otherwise the endpoint is on the host
// of the issuer.
func TestIntrospectionURL(t *testing.T) {
	t.Parallel()
	a := opaque(t)
	v := a.verifier(t, func(o *jwtauth.Options) { introspection(o); o.Introspection.URL = issuerURL + introspectPath })
	verify(t, v, a.login(t))
	if len(a.requests) != 1 {
		t.Errorf("requests: %v", a.requests)
	}
	a.fail(answers("/.well-known/oauth-authorization-server", 200, `{"issuer":"`+issuerURL+`","introspection_endpoint":"https://evil.example.com/"}`))
	log, option := logged()
	if _, err := a.verifier(t, func(o *jwtauth.Options) { introspection(o); option(o) }).Verify(t.Context(), a.login(t)); unavailable(err) < 0 {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "Introspection.URL") {
		t.Errorf("the log has %s", log)
	}
}

// TestIntrospectionMap checks that Map is also called for introspected tokens, and that its
// refusal is cached for a short time.
func TestIntrospectionMap(t *testing.T) {
	t.Parallel()
	a := opaque(t)
	v := a.verifier(t, func(o *jwtauth.Options) {
		introspection(o)
		o.Map = func(claims *jwtauth.Claims, _ *streamhttp.Token) error {
			return fmt.Errorf("%w: %s of %s", streamhttp.ErrInvalidToken, claims.Subject, claims.ClientID)
		}
	})
	text := a.login(t)
	for range 2 {
		if _, err := v.Verify(t.Context(), text); !invalid(err) || !strings.Contains(err.Error(), "sid1 of c1") {
			t.Error(err)
		}
	}
	a.introspected(t, 1)
}
