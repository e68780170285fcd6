package jwtauth_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/integrations/jwtauth"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// TestClaimsReachTools: AUTH-17, a tool gets the payload of the JWT, or the answer of the introspection endpoint, over
// HTTP; the logs do not.
func TestClaimsReachTools(t *testing.T) {
	t.Parallel()
	ofTenant := map[string]any{"tenant": "acme", "email": "ada@example.com"}
	for _, test := range []struct {
		name       string
		change     func(*jwtauth.Options)
		want       string
		verifiable bool
	}{
		{"JWT", nil, "tenant acme of u1", true},
		{"JWT of another key", nil, "", false},
		{"introspection", introspection, "tenant acme of u1", true},
		{"Map removes them", func(o *jwtauth.Options) {
			o.Map = func(_ *jwtauth.Claims, token *streamhttp.Token) error { token.Claims = nil; return nil }
		}, "no claims", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := newAuthority(t, issuerURL)
			log, option := logged()
			guard, err := streamhttp.Protect(a.verifier(t, func(o *jwtauth.Options) {
				if option(o); test.change != nil {
					test.change(o)
				}
			}).Verify, streamhttp.ProtectedResource{Resource: resource, AuthorizationServers: []string{issuerURL}})
			if err != nil {
				t.Fatal(err)
			}
			tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (string, error) {
				var claims struct{ Tenant, Sub string }
				text := mcptool.Caller(ctx).Claims
				if text == nil {
					return "no claims", nil
				}
				err := json.Unmarshal(text, &claims)
				return "tenant " + claims.Tenant + " of " + claims.Sub, err
			}, mcptool.Name("write_note"))
			if err != nil {
				t.Fatal(err)
			}
			e := &endpoint{}
			srv := &runtime.Server{Name: "notes", Version: "1", Tools: &mcptool.Registry{}, Logger: slog.New(slog.NewTextHandler(&e.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
			srv.Observer = audit.New(srv.Logger)
			if err := srv.Tools.Add(tool); err != nil {
				t.Fatal(err)
			}
			handler, err := streamhttp.NewHandler(srv, guard)
			if err != nil {
				t.Fatal(err)
			}
			e.Handler = handler
			text := a.token(t, ofTenant)
			if !test.verifiable {
				text = sign(t, signingKey{id: "k1", private: rsaKeys[2], alg: "RS256"}, "at+jwt", claims(ofTenant))
			}
			answer, err := json.Marshal(claims(map[string]any{"tenant": "acme", "email": "ada@example.com", "active": true}))
			if err != nil {
				t.Fatal(err)
			}
			a.fail(answers(introspectPath, http.StatusOK, string(answer)))
			for range 2 { // the second from the cache
				w := e.post(t, text, call)
				if ok := w.Code == http.StatusOK; ok != test.verifiable || !strings.Contains(w.Body.String(), test.want) {
					t.Errorf("status %d, %s; want %s", w.Code, w.Body, test.want)
				}
			}
			if all := e.log.String() + log.String(); strings.Contains(all, "ada@") || strings.Contains(all, "acme") || test.verifiable && !strings.Contains(all, "principal") {
				t.Errorf("the log has %s", all)
			}
		})
	}
}

// TestTenantClaim checks the tenant of the tokens of an issuer with several tenants.
func TestTenantClaim(t *testing.T) {
	t.Parallel()
	byClaim := func(o *jwtauth.Options) { o.TenantClaim = "org_id" }
	for _, test := range []struct {
		name   string
		change func(*jwtauth.Options)
		claims map[string]any
		want   string // "" means that the token is refused
	}{
		{"the claim", byClaim, map[string]any{"org_id": "acme"}, "acme"},
		{"absent", byClaim, nil, ""},
		{"empty", byClaim, map[string]any{"org_id": ""}, ""},
		{"null", byClaim, map[string]any{"org_id": nil}, ""},
		{"an array", byClaim, map[string]any{"org_id": []string{"acme"}}, ""},
		{"another case of the name", byClaim, map[string]any{"ORG_ID": "acme"}, ""},
		{"Map", func(o *jwtauth.Options) {
			o.Map = func(c *jwtauth.Claims, token *streamhttp.Token) error {
				token.Tenant, _, _ = strings.Cut(c.Subject, "@")
				return nil
			}
		}, nil, "u1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := newAuthority(t, issuerURL)
			token, err := a.verifier(t, test.change).Verify(t.Context(), a.token(t, test.claims))
			switch {
			case test.want == "" && (!errors.Is(err, streamhttp.ErrInvalidToken) || !strings.Contains(err.Error(), "TenantClaim")):
				t.Errorf("got the tenant %q and error %v, want an invalid token without a tenant", token.Tenant, err)
			case test.want != "" && (err != nil || token.Tenant != test.want || token.Principal != issuerURL+"#u1"):
				t.Errorf("got the tenant %q of %q and error %v, want %q", token.Tenant, token.Principal, err, test.want)
			}
		})
	}
}
