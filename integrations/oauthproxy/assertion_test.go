package oauthproxy_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcptool-go/mcptool/integrations/oauthproxy"
)

const (
	keysURL       = "https://keys.example.org/jwks.json"
	assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
)

var rsaKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// keyClient is a client with a document that authenticates with a key.
type keyClient struct {
	*world

	document map[string]any // without the members that all documents have
	keys     jose.JSONWebKeySet
	sign     jose.SigningKey
}

// newKeyClient returns a client whose keys are at keysURL.
func newKeyClient(t *testing.T, change func(*oauthproxy.Config)) *keyClient {
	t.Helper()
	c := &keyClient{world: quick(t, change)}
	c.document = map[string]any{"token_endpoint_auth_method": "private_key_jwt", "jwks_uri": keysURL}
	c.use("k1", newKey(t))
	c.net.hosts["app.example.org"] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		document := map[string]any{"client_id": documentURL, "client_name": "ChatGPT", "redirect_uris": []string{redirectURI}}
		maps.Copy(document, c.document)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(document)
	})
	c.net.hosts["keys.example.org"] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/jwk-set+json")
		_ = json.NewEncoder(w).Encode(c.keys)
	})
	return c
}

// use makes a key the only one that the client publishes and signs with.
func (c *keyClient) use(id string, key *ecdsa.PrivateKey) {
	c.keys = jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: id, Use: "sig"}}}
	c.sign = jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: id}}
}

// assertion returns an assertion with changed claims; nil deletes one.
func (c *keyClient) assertion(changes map[string]any) string {
	c.t.Helper()
	return c.signed(c.sign, "JWT", changes)
}

func (c *keyClient) signed(key jose.SigningKey, typ jose.ContentType, changes map[string]any) string {
	c.t.Helper()
	claims := map[string]any{
		"iss": documentURL, "sub": documentURL, "aud": issuer, "jti": rand.Text(), "iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(),
	}
	for name, value := range changes {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	signer, err := jose.NewSigner(key, (&jose.SignerOptions{}).WithType(typ))
	if err != nil {
		c.t.Fatal(err)
	}
	text, _ := json.Marshal(claims)
	signed, err := signer.Sign(text)
	if err != nil {
		c.t.Fatal(err)
	}
	compact, err := signed.CompactSerialize()
	if err != nil {
		c.t.Fatal(err)
	}
	return compact
}

// asserted returns the parameters for an assertion.
func asserted(text string) map[string]string {
	return map[string]string{"client_assertion": text, "client_assertion_type": assertionType}
}

// TestPrivateKeyJWT: a client whose document requires private_key_jwt (RFC 7523) gets, refreshes and revokes tokens with an
// assertion, and nothing without one.
func TestPrivateKeyJWT(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*keyClient){
		"jwks_uri": func(*keyClient) {},
		"jwks":     func(c *keyClient) { c.document["jwks"] = c.keys; delete(c.document, "jwks_uri") },
		"null":     func(c *keyClient) { c.document["jwks"], c.document["client_secret"] = nil, nil },
		"RS256": func(c *keyClient) {
			c.keys.Keys = append(c.keys.Keys, jose.JSONWebKey{Key: rsaKey().Public(), KeyID: "rsa", Algorithm: "RS256"})
			c.sign = jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: rsaKey(), KeyID: "rsa"}}
			c.document["token_endpoint_auth_signing_alg"] = "RS256"
		},
		"without key ids": func(c *keyClient) {
			c.keys.Keys[0].KeyID = ""
			c.sign.Key = c.sign.Key.(jose.JSONWebKey).Key
		},
		"listed method": func(c *keyClient) {
			delete(c.document, "token_endpoint_auth_method")
			c.document["token_endpoint_auth_methods_supported"] = []string{"private_key_jwt"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newKeyClient(t, nil)
			change(c)
			code := c.code()
			wantStatus(t, c.redeem(code, nil), http.StatusUnauthorized, "invalid_client")
			tokens := c.redeem(code, asserted(c.assertion(nil))) // the code was not used up
			wantStatus(t, tokens, http.StatusOK, "")
			wantStatus(t, c.refresh(tokens.string("refresh_token"), nil), http.StatusUnauthorized, "invalid_client")
			withoutID := asserted(c.assertion(map[string]any{"aud": []string{issuer + "/token", issuer}}))
			withoutID["client_id"] = ""
			tokens = c.refresh(tokens.string("refresh_token"), withoutID)
			wantStatus(t, tokens, http.StatusOK, "")
			if status, who := c.whoami(tokens.string("access_token")); status != http.StatusOK || who != idp+"#ann" {
				t.Errorf("the call got %d, %q", status, who)
			}
			revoke := map[string]string{"token": tokens.string("refresh_token"), "client_id": documentURL}
			wantStatus(t, c.post("/revoke", with(revoke, nil)), http.StatusUnauthorized, "invalid_client")
			if status, _ := c.whoami(tokens.string("access_token")); status != http.StatusOK {
				t.Errorf("after a revocation without an assertion, the call got %d", status)
			}
			wantStatus(t, c.post("/revoke", with(revoke, asserted(c.assertion(map[string]any{"aud": issuer + "/revoke"})))), http.StatusOK, "")
			if status, _ := c.whoami(tokens.string("access_token")); status != http.StatusUnauthorized {
				t.Errorf("after the revocation the call got %d", status)
			}
		})
	}
}

// TestAssertionMistakes: an assertion that is refused does not use up the code.
func TestAssertionMistakes(t *testing.T) {
	t.Parallel()
	c := newKeyClient(t, nil)
	c.document["token_endpoint_auth_signing_alg"] = "ES256"
	in := func(d time.Duration) int64 { return time.Now().Add(d).Unix() }
	claims := func(changes map[string]any) map[string]string { return asserted(c.assertion(changes)) }
	public, _ := json.Marshal(c.keys.Keys[0])
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + strings.Split(c.assertion(nil), ".")[1] + "."
	const signature = "no key of the client has made its signature"
	for _, test := range []struct {
		name   string
		params map[string]string
		reason string
	}{
		{"another type", map[string]string{"client_assertion": c.assertion(nil), "client_assertion_type": "x"}, "client_assertion_type must be"},
		{"no type", map[string]string{"client_assertion": c.assertion(nil)}, "client_assertion_type must be"},
		{"not a JWT", asserted("x"), "not a JWT"},
		{"no signature", asserted(none), "not a JWT with an asymmetric signature"},
		{"public key as secret", asserted(c.signed(jose.SigningKey{Algorithm: jose.HS256, Key: public}, "JWT", nil)), "not a JWT with an asymmetric signature"},
		{"an access token", asserted(c.signed(c.sign, "at+jwt", nil)), "typ"},
		{"another issuer", claims(map[string]any{"iss": issuer}), "iss and sub"},
		{"another subject", claims(map[string]any{"sub": documentURL + "?"}), "iss and sub"},
		{"no issuer", claims(map[string]any{"iss": nil}), "iss and sub"},
		{"another audience", claims(map[string]any{"aud": "https://other.example.com"}), "aud must be"},
		{"several audiences", claims(map[string]any{"aud": []string{issuer, "https://other.example.com"}}), "aud must be"},
		{"no audience", claims(map[string]any{"aud": nil}), "aud must be"},
		{"the resource", claims(map[string]any{"aud": resource}), "aud must be"},
		{"expired", claims(map[string]any{"exp": in(-31 * time.Second)}), "exp is missing or in the past"},
		{"no expiry", claims(map[string]any{"exp": nil}), "exp is missing"},
		{"expiry as text", claims(map[string]any{"exp": "tomorrow"}), "cannot be decoded"},
		{"too long", claims(map[string]any{"exp": in(2 * time.Hour)}), "exp is more than an hour"},
		{"far too long", claims(map[string]any{"exp": 1e300}), "claims cannot be decoded"},
		{"not yet", claims(map[string]any{"nbf": in(time.Hour)}), "in the future"},
		{"issued later", claims(map[string]any{"iat": in(time.Hour)}), "in the future"},
		{"no id", claims(map[string]any{"jti": nil}), "jti"},
		{"a long id", claims(map[string]any{"jti": strings.Repeat("x", 257)}), "jti"},
		{"another key", asserted(c.signed(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: newKey(t), KeyID: "k1"}}, "JWT", nil)), signature},
		{"an unknown key", asserted(c.signed(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: newKey(t), KeyID: "k2"}}, "JWT", nil)), signature},
		{"another algorithm", asserted(c.signed(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: rsaKey(), KeyID: "k1"}}, "JWT", nil)), signature},
	} {
		t.Run(test.name, func(t *testing.T) {
			code := c.code()
			a := c.redeem(code, test.params)
			wantStatus(t, a, http.StatusUnauthorized, "invalid_client")
			if !strings.Contains(a.string("error_description"), test.reason) {
				t.Errorf("the description is %q, want %q", a.string("error_description"), test.reason)
			}
			wantStatus(t, c.redeem(code, claims(map[string]any{"exp": in(-20 * time.Second), "iat": in(20 * time.Second)})), http.StatusOK, "")
		})
	}
	if n := len(c.net.to(keysURL)); n > 2 {
		t.Errorf("the keys were fetched %d times", n)
	}
	fetched := len(c.net.to(documentURL))
	wantStatus(t, c.redeem("made-up", claims(nil)), http.StatusBadRequest, "invalid_grant")
	if len(c.net.to(documentURL)) != fetched {
		t.Error("a made-up code has caused a request")
	}
	id := c.registered(`{"client_name":"x","redirect_uris":["` + redirectURI + `"]}`)
	own := map[string]string{"client_id": id}
	code := c.browser().connectNow(authorizeURL(own)).Get("code")
	maps.Copy(own, claims(map[string]any{"iss": id, "sub": id}))
	wantStatus(t, c.redeem(code, own), http.StatusUnauthorized, "invalid_client")
}

// TestAssertionOnce: an assertion is valid once for each client, for codes and refresh tokens alike, until it expires.
func TestAssertionOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newKeyClient(t, nil)
		once := asserted(c.assertion(map[string]any{"jti": "1", "exp": time.Now().Add(time.Hour).Unix()}))
		tokens := c.redeem(c.code(), once)
		wantStatus(t, tokens, http.StatusOK, "")
		for _, wait := range []time.Duration{0, 30 * time.Minute, 30*time.Minute + 29*time.Second, time.Second} {
			time.Sleep(wait)
			for _, params := range []map[string]string{once, asserted(c.assertion(map[string]any{"jti": "1"}))} {
				a := c.refresh(tokens.string("refresh_token"), params)
				if wait == time.Second && a.status == http.StatusOK { // the second one
					continue
				}
				wantStatus(t, a, http.StatusUnauthorized, "invalid_client")
			}
		}
		wantStatus(t, c.refresh(tokens.string("refresh_token"), asserted(c.assertion(nil))), http.StatusOK, "")
	})
}

// TestKeyRotation: a new key of a client is found when it is used, but made-up ones cause one request in ten seconds.
func TestKeyRotation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newKeyClient(t, nil)
		code := c.code()
		wantStatus(t, c.redeem(code, asserted(c.signed(jose.SigningKey{Algorithm: jose.ES256, Key: newKey(t)}, "JWT", nil))), http.StatusUnauthorized, "invalid_client")
		c.use("k2", newKey(t))
		for range 3 {
			wantStatus(t, c.redeem(code, asserted(c.assertion(nil))), http.StatusUnauthorized, "invalid_client")
			time.Sleep(3 * time.Second)
		}
		if n := len(c.net.to(keysURL)); n != 1 {
			t.Errorf("%d requests for the keys", n)
		}
		time.Sleep(time.Second)
		tokens := c.redeem(code, asserted(c.assertion(nil)))
		wantStatus(t, tokens, http.StatusOK, "")

		c.document["jwks_uri"] = "https://keys.example.org/new.json"
		c.use("k3", newKey(t))
		time.Sleep(10 * time.Second)
		wantStatus(t, c.refresh(tokens.string("refresh_token"), asserted(c.assertion(nil))), http.StatusOK, "")
		if n := len(c.net.to("https://keys.example.org/new.json")); n != 1 {
			t.Errorf("%d requests for the keys at the new URL", n)
		}
	})
}

// TestKeysURL: keys are fetched as documents are: from public names only, without redirects. If that fails, the client may
// try again.
func TestKeysURL(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"http://keys.example.org/jwks.json", "https://127.0.0.1/jwks.json", "https://localhost/jwks.json", "https://keys.example.org:8443/jwks.json", "https://u@keys.example.org/jwks.json",
		"https://keys.example.org/jwks.json#x", "https://keys.example.org", "file:///etc/passwd", "https://keys.example.org/" + strings.Repeat("x", 512),
	} {
		c := newKeyClient(t, nil)
		c.document["jwks_uri"] = url
		refusedDocument(t, c.world, documentURL)
		if p := c.browser().get(authorizeURL(nil)); strings.HasPrefix(url, "http:") && !strings.Contains(p.text, "jwks_uri is not https") {
			t.Errorf("%s: the error is %s", url, p.text)
		}
		c.document["token_endpoint_auth_methods_supported"] = []string{"none"}
		wantStatus(t, c.redeem(c.code(), asserted(c.assertion(nil))), http.StatusUnauthorized, "invalid_client")
		if n := len(c.net.to("https://keys")) + len(c.net.to("http://keys")); n != 0 {
			t.Errorf("%s: %d requests", url, n)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		for name, test := range map[string]struct {
			serve  http.HandlerFunc
			status int
			code   string
		}{
			"redirect":  {http.RedirectHandler("https://internal.example.com/jwks.json", http.StatusFound).ServeHTTP, http.StatusUnauthorized, "invalid_client"},
			"not found": {http.NotFound, http.StatusUnauthorized, "invalid_client"},
			"failure":   {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, http.StatusServiceUnavailable, "temporarily_unavailable"},
			"slow":      {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, http.StatusServiceUnavailable, "temporarily_unavailable"},
			"too long": {func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = fmt.Fprintf(w, `{"keys":[],"x":"%s"}`, strings.Repeat("x", 64<<10))
			}, http.StatusUnauthorized, "invalid_client"},
			"no key": {func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(`{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}`))
			}, http.StatusUnauthorized, "invalid_client"},
		} {
			c := newKeyClient(t, nil)
			good := c.net.hosts["keys.example.org"]
			c.net.hosts["internal.example.com"] = good
			c.net.hosts["keys.example.org"] = test.serve
			code := c.code()
			a := c.redeem(code, asserted(c.assertion(nil)))
			if a.status != test.status || a.string("error") != test.code || test.status == http.StatusServiceUnavailable && a.header.Get("Retry-After") != "5" {
				t.Errorf("%s: got %v", name, a)
			}
			c.net.hosts["keys.example.org"] = good
			wantStatus(t, c.redeem(code, asserted(c.assertion(nil))), http.StatusOK, "")
		}
	})
}

// TestKeyDocument: documents with keys that cannot be used.
func TestKeyDocument(t *testing.T) {
	t.Parallel()
	weak, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	set := func(keys ...jose.JSONWebKey) any { return jose.JSONWebKeySet{Keys: keys} }
	private := jose.JSONWebKey{Key: newKey(t), KeyID: "k"}
	for name, keys := range map[string]any{
		"none": nil, "not a set": "x", "empty": set(), "a private key": set(private), "for encryption": set(jose.JSONWebKey{Key: newKey(t).Public(), Use: "enc"}),
		"weak": set(jose.JSONWebKey{Key: weak.Public()}), "symmetric": set(jose.JSONWebKey{Key: []byte("secret")}), "too many": map[string]any{"keys": make([]any, 17)},
	} {
		t.Run(name, func(t *testing.T) {
			c := newKeyClient(t, nil)
			delete(c.document, "jwks_uri")
			c.document["jwks"] = keys
			refusedDocument(t, c.world, documentURL)
		})
	}
	c := newKeyClient(t, nil)
	c.document["jwks"] = c.keys
	refusedDocument(t, c.world, documentURL) // with jwks and jwks_uri
	for _, algorithm := range []string{"none", "HS256", "es256", "x"} {
		c := newKeyClient(t, nil)
		c.document["token_endpoint_auth_signing_alg"] = algorithm
		refusedDocument(t, c.world, documentURL)
	}
}

// TestNoneListed checks that authentication is optional for a client whose document lists "none" besides private_key_jwt, as
// ChatGPT does. A wrong assertion is still refused.
func TestNoneListed(t *testing.T) {
	t.Parallel()
	c := newKeyClient(t, nil)
	c.document["token_endpoint_auth_methods_supported"] = []string{"none", "private_key_jwt"}
	wantStatus(t, c.redeem(c.code(), nil), http.StatusOK, "")
	if n := len(c.net.to(keysURL)); n != 0 {
		t.Errorf("%d requests for keys that are not needed", n)
	}
	code := c.code()
	wantStatus(t, c.redeem(code, asserted(c.assertion(map[string]any{"aud": resource}))), http.StatusUnauthorized, "invalid_client")
	wantStatus(t, c.redeem(code, asserted(c.assertion(nil))), http.StatusOK, "")
}

// TestMethodChanged: a login keeps the method that the document had: the client authenticates even if an attacker who serves
// the document has removed the method since.
func TestMethodChanged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newKeyClient(t, nil)
		tokens := c.redeem(c.code(), asserted(c.assertion(nil)))
		c.document["token_endpoint_auth_method"] = "none"
		time.Sleep(10 * time.Minute)
		wantStatus(t, c.refresh(tokens.string("refresh_token"), nil), http.StatusUnauthorized, "invalid_client")
		wantStatus(t, c.refresh(tokens.string("refresh_token"), asserted(c.assertion(nil))), http.StatusOK, "")
	})
}
