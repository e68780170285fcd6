package jwtauth_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcptool-go/mcptool/integrations/jwtauth"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// invalid reports whether an error is about the token, and not about the issuer.
func invalid(err error) bool { return errors.Is(err, streamhttp.ErrInvalidToken) }

// unavailable returns the time to wait if the error is that the token cannot be verified at
// present, otherwise -1.
func unavailable(err error) time.Duration {
	if u, ok := errors.AsType[*streamhttp.UnavailableError](err); ok && !invalid(err) {
		return u.RetryAfter
	}
	return -1
}

// TestProvider: a token of a real authorization server, whose typ is JWT.
func TestProvider(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, issuerURL)
	text := a.login(t, "notes:read", "notes:write")
	v := a.verifier(t, func(o *jwtauth.Options) { o.AllowUntyped = true })
	for range 2 {
		got, err := v.Verify(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		left := time.Until(got.Expiry)
		if got.Principal != issuerURL+"#sid1" || !slices.Equal(got.Scopes, []string{"notes:read", "notes:write"}) ||
			!slices.Equal(got.Audience, []string{resource}) || left < 4*time.Minute || left > 6*time.Minute {
			t.Errorf("%+v", got)
		}
	}
	if a.asked("/keys") != 1 || a.asked("/oauth/introspect") != 0 {
		t.Errorf("requests: %v", a.requests)
	}
	if _, err := a.verifier(t, nil).Verify(t.Context(), text); !invalid(err) || !strings.Contains(err.Error(), "at+jwt") {
		t.Errorf("AUTH-01 without AllowUntyped: %v", err)
	}
}

// TestClaims: which tokens are valid, and what the server makes of them.
func TestClaims(t *testing.T) {
	t.Parallel()
	untyped := func(o *jwtauth.Options) { o.AllowUntyped = true }
	tests := []struct {
		name   string
		typ    string
		claims map[string]any // changes
		change func(*jwtauth.Options)
		refuse string // part of the reason; "" if the token is valid
	}{
		{"AUTH-01 at+jwt", "at+jwt", nil, nil, ""},
		{"AUTH-01 the media type, in another case", "Application/AT+JWT", nil, nil, ""},
		{"AUTH-01 JWT", "JWT", nil, nil, `typ is "JWT", and not "at+jwt"; set Options.AllowUntyped if the issuer writes no other`},
		{"AUTH-01 no typ", "", nil, nil, `typ is "", and not "at+jwt"; set Options.AllowUntyped`},
		{"AUTH-01 a logout token", "Logout+JWT", nil, untyped, `typ is "Logout+JWT", and not "at+jwt"`},
		{"AUTH-01 JWT, allowed", "JWT", nil, untyped, ""},
		{"AUTH-01 no typ, allowed", "", nil, untyped, ""},
		{"AUTH-01 scp of Entra", "JWT", map[string]any{"scope": nil, "client_id": nil, "scp": "a"}, untyped, ""},
		{"AUTH-01 only azpacr, as an Entra token of an application", "JWT", map[string]any{"scope": nil, "client_id": nil, "azpacr": "1"}, untyped, ""},
		{"AUTH-01 an ID token with nonce", "JWT", map[string]any{"nonce": "n"}, untyped, "ID token"},
		{"AUTH-01 an ID token with at_hash", "", map[string]any{"at_hash": "n"}, untyped, "ID token"},
		{"AUTH-01 an ID token with c_hash", "", map[string]any{"c_hash": "n"}, untyped, "ID token"},
		{"AUTH-01 an ID token of Cognito", "", map[string]any{"token_use": "id"}, untyped, "ID token"},
		{"AUTH-01 an ID token of Keycloak", "JWT", map[string]any{"typ": "ID"}, untyped, "ID token"},
		{"AUTH-01 a refresh token", "JWT", map[string]any{"typ": "Refresh"}, untyped, "refresh token"},
		{"AUTH-01 an access token of Cognito", "", map[string]any{"token_use": "access"}, untyped, ""},
		{"AUTH-01 an ID token without marks", "JWT", map[string]any{"scope": nil, "client_id": nil, "azp": "c1"}, untyped, "ID token"},
		{"AUTH-02 another issuer", "at+jwt", map[string]any{"iss": "https://evil.example.com"}, nil, `its issuer (iss) is "https://evil.example.com", and Options.Issuer is "https://auth.example.com"`},
		{"AUTH-02 a slash more", "at+jwt", map[string]any{"iss": issuerURL + "/"}, nil, "issuer"},
		{"AUTH-02 AUTH-06 no issuer", "at+jwt", map[string]any{"iss": nil}, nil, "issuer"},
		{"AUTH-03 AUTH-06 no audience", "at+jwt", map[string]any{"aud": nil}, nil, "it has no aud; the issuer must write the URI of the server, or one of Options.Audiences"},
		{"AUTH-03 an empty audience", "at+jwt", map[string]any{"aud": []string{}}, nil, "no aud"},
		{"AUTH-03 an audience that is null", "at+jwt", map[string]any{"aud": json.RawMessage("null")}, nil, "no aud"},
		{"an expiry that is null", "at+jwt", map[string]any{"exp": json.RawMessage("null")}, nil, "no exp"},
		{"a scope that is null", "at+jwt", map[string]any{"scope": json.RawMessage("null")}, nil, ""},
		{"AUTH-03 several audiences", "at+jwt", map[string]any{"aud": []string{"a", resource}}, nil, ""},
		{"AUTH-03 an audience that is a number", "at+jwt", map[string]any{"aud": 1}, nil, "decoded"},
		{"AUTH-05 AUTH-06 no expiry", "at+jwt", map[string]any{"exp": nil}, nil, "no exp"},
		{"AUTH-05 expired within the leeway", "at+jwt", map[string]any{"exp": -20 * time.Second}, nil, ""},
		{"AUTH-05 expired beyond the leeway", "at+jwt", map[string]any{"exp": -40 * time.Second}, nil, "it expired at 1999-12-31T23:59:20Z"},
		{"AUTH-05 expired without leeway", "at+jwt", map[string]any{"exp": -2 * time.Second}, func(o *jwtauth.Options) { o.Leeway = jwtauth.NoLeeway }, "expired"},
		{"AUTH-05 an expiry with a fraction", "at+jwt", map[string]any{"exp": time.Hour + time.Second/2}, nil, ""},
		{"AUTH-05 an expiry in text", "at+jwt", map[string]any{"exp": "tomorrow"}, nil, "decoded"},
		{"AUTH-05 an expiry out of range", "at+jwt", map[string]any{"exp": 1e30}, nil, "decoded"},
		{"AUTH-05 not yet valid within the leeway", "at+jwt", map[string]any{"nbf": 20 * time.Second}, nil, ""},
		{"AUTH-05 not yet valid", "at+jwt", map[string]any{"nbf": 50 * time.Second}, nil, "not valid yet, but from 2000-01-01T00:00:50Z"},
		{"AUTH-05 issued in the future", "at+jwt", map[string]any{"iat": 50 * time.Second}, nil, "future, at 2000-01-01T00:00:50Z"},
		{"AUTH-06 others are optional", "at+jwt", map[string]any{"jti": nil, "iat": nil, "client_id": nil}, nil, ""},
		{"AUTH-06 neither subject nor client", "at+jwt", map[string]any{"sub": nil, "client_id": nil}, nil, "sub"},
		{"AUTH-18 a user without a subject", "at+jwt", map[string]any{"sub": nil, "username": "ada"}, nil, "username"},
		{"a claim that is present twice", "at+jwt", map[string]any{"twice": "sub"}, nil, "decoded"},
		{"AUTH-12 bound to a key", "at+jwt", map[string]any{"cnf": map[string]string{"jkt": "x"}}, nil, "cnf"},
		{"Map refuses", "at+jwt", nil, func(o *jwtauth.Options) {
			o.Map = func(*jwtauth.Claims, *streamhttp.Token) error {
				return fmt.Errorf("%w: another tenant", streamhttp.ErrInvalidToken)
			}
		}, "tenant"},
	}
	k1 := signingKey{id: "k1", private: rsaKeys[0], alg: jose.RS256}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				got, err := newAuthority(t, issuerURL).verifier(t, test.change).Verify(t.Context(), sign(t, k1, test.typ, claims(test.claims)))
				switch {
				case test.refuse == "" && err != nil:
					t.Error(err)
				case test.refuse != "" && (!invalid(err) || !strings.Contains(err.Error(), test.refuse)):
					t.Errorf("AUTH-07: %v, want an error about %s", err, test.refuse)
				case test.refuse != "" && !reflect.DeepEqual(got, streamhttp.Token{}):
					t.Errorf("an invalid token grants %+v", got)
				}
			})
		})
	}
}

// TestReasonsAreShort: AUTH-07, reasons have neither the token nor long values of it.
func TestReasonsAreShort(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, issuerURL)
	v := a.verifier(t, nil)
	long := strings.Repeat("long", 1000)
	good := a.token(t, nil)
	for name, text := range map[string]string{
		"iss":              a.token(t, map[string]any{"iss": long}),
		"typ":              sign(t, signingKey{id: "k1", private: rsaKeys[0], alg: jose.RS256}, long, claims(nil)),
		"alg":              forge(t, `{"alg":"`+long+`","typ":"at+jwt"}`, "x"),
		"kid":              sign(t, signingKey{id: long, private: rsaKeys[0], alg: jose.RS256}, "at+jwt", claims(nil)),
		"a name, twice":    a.token(t, map[string]any{long: 1, "twice": long}),
		"opaque":           long,
		"a part that ends": good[:len(good)-1] + "*",
	} {
		_, err := v.Verify(t.Context(), text)
		if !invalid(err) || len(err.Error()) > 400 || strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestGrant: what is made of the claims of a valid token.
func TestGrant(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		claims    map[string]any
		change    func(*jwtauth.Options)
		principal string
		scopes    string // joined
		audience  string
	}{
		{"all claims", nil, nil, issuerURL + "#u1", "notes:read notes:write", resource},
		{"AUTH-18 a client is no user of the same name", map[string]any{"sub": nil}, nil, issuerURL + "?client_id=c1", "notes:read notes:write", resource},
		{"azp", map[string]any{"sub": nil, "client_id": nil, "azp": "c2"}, nil, issuerURL + "?client_id=c2", "notes:read notes:write", resource},
		{"an array", map[string]any{"scope": []string{"a", "b", "a"}}, nil, issuerURL + "#u1", "a b", resource},
		{"scp, a string", map[string]any{"scope": nil, "scp": "a  b"}, nil, issuerURL + "#u1", "a b", resource},
		{"scp, an array", map[string]any{"scope": nil, "scp": []string{"a", "b"}}, nil, issuerURL + "#u1", "a b", resource},
		{"scope is null", map[string]any{"scope": json.RawMessage("null"), "scp": "b"}, nil, issuerURL + "#u1", "b", resource},
		{"scope before scp", map[string]any{"scope": "", "scp": "b"}, nil, issuerURL + "#u1", "", resource},
		{"no scope", map[string]any{"scope": nil}, nil, issuerURL + "#u1", "", resource},
		{"a claim whose name differs in case", map[string]any{"Scope": "admin", "SCOPE": "admin", "SUB": "root"}, nil, issuerURL + "#u1", "notes:read notes:write", resource},
		{"AUTH-03 another audience", map[string]any{"aud": "api://1"}, nil, issuerURL + "#u1", "notes:read notes:write", "api://1"},
		{"AUTH-03 an audience that means this server", map[string]any{"aud": "api://1"}, func(o *jwtauth.Options) {
			o.Resource, o.Audiences = resource, []string{"api://1"}
		}, issuerURL + "#u1", "notes:read notes:write", "api://1 " + resource},
		{"AUTH-03 an audience that does not", map[string]any{"aud": "api://2"}, func(o *jwtauth.Options) {
			o.Resource, o.Audiences = resource, []string{"api://1"}
		}, issuerURL + "#u1", "notes:read notes:write", "api://2"},
		{"T-AUTH-10 a scope that includes others", map[string]any{"scope": "admin"}, func(o *jwtauth.Options) {
			o.Map = func(claims *jwtauth.Claims, token *streamhttp.Token) error {
				if slices.Contains(claims.Scopes, "admin") && strings.Contains(string(claims.Raw), `"jti":"t1"`) && claims.ID == "t1" {
					token.Scopes = append(token.Scopes, "notes:read")
				}
				token.Principal = claims.ClientID
				return nil
			}
		}, "c1", "admin notes:read", resource},
	}
	a := newAuthority(t, issuerURL)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := a.verifier(t, test.change).Verify(t.Context(), a.token(t, test.claims))
			if err != nil {
				t.Fatal(err)
			}
			if got.Principal != test.principal || strings.Join(got.Scopes, " ") != test.scopes || strings.Join(got.Audience, " ") != test.audience {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// ecKey and edKey return keys of other kinds.
func ecKey(tb testing.TB, curve elliptic.Curve) *ecdsa.PrivateKey {
	tb.Helper()
	k, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

func edKey(tb testing.TB) ed25519.PrivateKey {
	tb.Helper()
	_, k, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

// TestAlgorithms: AUTH-04, every supported algorithm, each with its own kind of key.
func TestAlgorithms(t *testing.T) {
	t.Parallel()
	p256 := ecKey(t, elliptic.P256())
	a := newAuthority(t, issuerURL)
	for _, key := range []signingKey{
		{id: "1", private: rsaKeys[1], alg: jose.RS256},
		{id: "2", private: rsaKeys[1], alg: jose.PS512},
		{id: "3", private: p256, alg: jose.ES256},
		{id: "4", private: ecKey(t, elliptic.P384()), alg: jose.ES384},
		{id: "5", private: ecKey(t, elliptic.P521()), alg: jose.ES512},
		{id: "6", private: edKey(t), alg: jose.EdDSA},
	} {
		t.Run("AUTH-04 "+string(key.alg), func(t *testing.T) {
			a.rotate(key.id, key.private, key.alg)
			text := a.token(t, nil)
			if _, err := a.verifier(t, nil).Verify(t.Context(), text); err != nil {
				t.Error(err)
			}
		})
	}
}

// forge returns a token with this header, the claims of a good one, and a signature.
func forge(tb testing.TB, header, signature string) string {
	tb.Helper()
	good := sign(tb, signingKey{id: "k1", private: rsaKeys[0], alg: jose.RS256}, "at+jwt", claims(nil))
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(header)) + "." + strings.Split(good, ".")[1] + "." + encode([]byte(signature))
}

// TestForged: AUTH-04, tokens that the issuer has not signed.
func TestForged(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, issuerURL)
	good := a.token(t, nil)
	parts := strings.Split(good, ".")
	public, err := jose.JSONWebKey{Key: rsaKeys[1].Public()}.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	hmac, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: rsaKeys[0].N.Bytes()}, (&jose.SignerOptions{}).WithType("at+jwt").WithHeader("kid", "k1"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(claims(nil))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := hmac.Sign(text)
	if err != nil {
		t.Fatal(err)
	}
	symmetric, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"AUTH-04 none":                            forge(t, `{"alg":"none","typ":"at+jwt"}`, ""),
		"AUTH-04 None":                            forge(t, `{"alg":"None","typ":"at+jwt","kid":"k1"}`, ""),
		"AUTH-04 HS256 with the public key":       symmetric,
		"AUTH-04 no algorithm":                    forge(t, `{"typ":"at+jwt","kid":"k1"}`, "x"),
		"AUTH-04 an algorithm of another key":     forge(t, `{"alg":"ES256","typ":"at+jwt","kid":"k1"}`, strings.Repeat("x", 64)),
		"AUTH-04 a made-up signature":             forge(t, `{"alg":"RS256","typ":"at+jwt","kid":"k1"}`, strings.Repeat("x", 256)),
		"AUTH-04 the signature of other claims":   parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"iss":"`+issuerURL+`","sub":"root","aud":"x","exp":99999999999}`)) + "." + parts[2],
		"AUTH-04 a key in the header":             forge(t, `{"alg":"RS256","typ":"at+jwt","jwk":`+string(public)+`}`, strings.Repeat("x", 256)),
		"AUTH-04 a URL of keys in the header":     forge(t, `{"alg":"RS256","typ":"at+jwt","kid":"k1","jku":"https://evil.example.com/keys"}`, strings.Repeat("x", 256)),
		"AUTH-04 a critical member":               forge(t, `{"alg":"RS256","typ":"at+jwt","kid":"k1","crit":["exp"],"exp":1}`, strings.Repeat("x", 256)),
		"AUTH-04 the ID of a key of another":      sign(t, signingKey{id: "k1", private: rsaKeys[1], alg: jose.RS256}, "at+jwt", claims(nil)),
		"AUTH-04 no key ID and the key of nobody": sign(t, signingKey{private: rsaKeys[1], alg: jose.RS256}, "at+jwt", claims(nil)),
		"AUTH-04 an unknown key ID":               sign(t, signingKey{id: "k9", private: rsaKeys[0], alg: jose.RS256}, "at+jwt", claims(nil)),
		"an opaque token":                         "2YotnFZFEjr1zCsicMWpAA",
		"two dots":                                "..",
		"five parts":                              good + ".x.y",
		"JSON serialization":                      `{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := a.verifier(t, nil).Verify(t.Context(), text)
			if !invalid(err) || got.Principal != "" {
				t.Errorf("%+v, %v", got, err)
			}
			if strings.Contains(name, "S256 with the public key") && !strings.Contains(err.Error(), "unexpected signature algorithm") {
				t.Errorf("the algorithm is accepted: %v", err)
			}
		})
	}
	t.Run("a good token without a key ID", func(t *testing.T) {
		t.Parallel()
		if _, err := a.verifier(t, nil).Verify(t.Context(), sign(t, signingKey{private: rsaKeys[0], alg: jose.RS256}, "at+jwt", claims(nil))); err != nil {
			t.Error(err)
		}
	})
}

// TestRefusedWithoutRequests: AUTH-02, what is refused by its claims causes no request to the
// issuer.
func TestRefusedWithoutRequests(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, issuerURL)
	v := a.verifier(t, nil)
	for _, text := range []string{
		a.token(t, map[string]any{"iss": "https://evil.example.com"}), a.token(t, map[string]any{"exp": 1}), "x.y.z",
		sign(t, signingKey{id: "k9", private: rsaKeys[1], alg: jose.RS256}, "JWT", claims(nil)),
	} {
		if _, err := v.Verify(t.Context(), text); !invalid(err) {
			t.Error(err)
		}
	}
	if len(a.requests) != 0 {
		t.Errorf("requests: %v", a.requests)
	}
}
