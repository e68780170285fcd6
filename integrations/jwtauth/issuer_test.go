package jwtauth_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcptool-go/mcptool/integrations/jwtauth"
)

// keySet returns the JSON of a key set.
func keySet(t *testing.T, keys ...any) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"keys": keys})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestWrongAnswers checks that no wrong response of an issuer makes a token valid or invalid.
func TestWrongAnswers(t *testing.T) {
	t.Parallel()
	const (
		rfc8414 = "/.well-known/oauth-authorization-server"
		oidc    = "/.well-known/openid-configuration"
	)
	tests := []struct {
		name   string
		path   string
		status int
		body   string
		header []string
		reason string // in the log
	}{
		{"AUTH-02 metadata of another issuer", oidc, 200, `{"issuer":"https://evil.example.com","jwks_uri":"` + issuerURL + `/keys"}`, nil, "is the metadata of"},
		{"AUTH-02 metadata without an issuer", oidc, 200, `{"jwks_uri":"` + issuerURL + `/keys"}`, nil, "is the metadata of"},
		{"AUTH-02 keys on another host", rfc8414, 200, `{"issuer":"` + issuerURL + `","jwks_uri":"https://evil.example.com/keys"}`, nil, "set KeysURL"},
		{"AUTH-02 keys on another port", rfc8414, 200, `{"issuer":"` + issuerURL + `","jwks_uri":"https://auth.example.com:8443/keys"}`, nil, "set KeysURL"},
		{"AUTH-08 keys over http", rfc8414, 200, `{"issuer":"` + issuerURL + `","jwks_uri":"http://auth.example.com/keys"}`, nil, "set KeysURL"},
		{"AUTH-08 keys on this machine", rfc8414, 200, `{"issuer":"` + issuerURL + `","jwks_uri":"http://127.0.0.1/keys"}`, nil, "set KeysURL"},
		{"no keys", rfc8414, 200, `{"issuer":"` + issuerURL + `"}`, nil, "set KeysURL"},
		{"AUTH-08 a redirect to another host", keysPath, 302, "", []string{"Location", "https://evil.example.com/keys"}, "status 302"},
		{"a page of HTML", "", 200, "<html>", nil, "invalid character"},
		{"an error", keysPath, 500, "{}", nil, "status 500"},
		{"AUTH-08 a long answer", keysPath, 200, `{"keys":[], "x":"` + strings.Repeat("x", 300<<10) + `"}`, nil, "longer than 256.0 KiB"},
		{"a truncated answer", keysPath, 200, `{"keys":[`, nil, "unexpected end"},
		{"another type", keysPath, 200, `{"keys":{}}`, nil, "unmarshal"},
		{"a set without keys", keysPath, 200, `{}`, nil, "no member keys"},
		{"a set whose keys are null", keysPath, 200, `{"keys":null}`, nil, "no member keys"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := newAuthority(t, issuerURL)
			a.fail(answers(test.path, test.status, test.body, test.header...))
			log, option := logged()
			_, err := a.verifier(t, option).Verify(t.Context(), a.token(t, nil))
			if unavailable(err) < 0 || strings.Contains(err.Error(), test.reason) {
				t.Errorf("%v, want an error that leaves the reason to the warning", err)
			}
			if text := log.String(); !strings.Contains(text, test.reason) || strings.Contains(text, "last_success") || strings.Contains(text, "used_until") {
				t.Errorf("the log has %s, want %s without times", text, test.reason)
			}
		})
	}
}

// TestNoUsableKey: AUTH-04, a key set without a usable key is an answer, so that tokens are invalid.
// The log has a warning, because it may be a mistake.
func TestNoUsableKey(t *testing.T) {
	t.Parallel()
	weak, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	forEncryption := jose.JSONWebKey{Key: rsaKeys[0].Public(), KeyID: "k1", Use: "enc"}
	for name, set := range map[string]string{
		"none":                         `{"keys":[]}`,
		"AUTH-04 a symmetric key":      `{"keys":[{"kty":"oct","kid":"k1","k":"c2VjcmV0"}]}`,
		"AUTH-04 a weak key":           keySet(t, jose.JSONWebKey{Key: weak.Public(), KeyID: "k1"}),
		"AUTH-04 a key for encryption": keySet(t, forEncryption),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAuthority(t, issuerURL)
			a.fail(answers(keysPath, 200, set))
			log, option := logged()
			refuse(t, a.verifier(t, option), a.token(t, nil))
			if text := log.String(); !strings.Contains(text, "level=WARN") || !strings.Contains(text, "no usable key") {
				t.Errorf("the log has %s", text)
			}
		})
	}
}

// TestMixedKeys checks that unsupported keys are skipped, and that a published private key is
// used as a public one.
func TestMixedKeys(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, issuerURL)
	private := jose.JSONWebKey{Key: rsaKeys[0], KeyID: "k1"}
	a.fail(answers(keysPath, 200, keySet(t, map[string]string{"kty": "AKP"}, map[string]string{"kty": "new"}, 7, map[string]string{"kty": "EC", "crv": "P-256"}, private)))
	verify(t, a.verifier(t, nil), a.token(t, nil))
}

// TestAlgorithmOfKey: AUTH-04, a key is used only for its algorithm.
func TestAlgorithmOfKey(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, issuerURL)
	a.fail(answers(keysPath, 200, keySet(t, jose.JSONWebKey{Key: rsaKeys[0].Public(), KeyID: "k1", Algorithm: "RS512"})))
	v := a.verifier(t, nil)
	refuse(t, v, a.token(t, nil))
	a.rotate("k1", rsaKeys[0], jose.RS512)
	verify(t, v, a.token(t, nil))
}

// TestKeysURL: it takes the place of the metadata, and is trusted.
func TestKeysURL(t *testing.T) {
	t.Parallel()
	a := newAuthority(t, issuerURL)
	verify(t, a.verifier(t, func(o *jwtauth.Options) { o.KeysURL = issuerURL + keysPath }), a.token(t, nil))
	if a.asked(keysPath) != 1 || len(a.requests) != 1 {
		t.Errorf("requests: %v", a.requests)
	}
}

// TestNetwork: discovery over a real connection, at both locations, for issuers with and without a
// path or a slash at the end.
func TestNetwork(t *testing.T) {
	t.Parallel()
	for path, location := range map[string]string{
		"":        "/.well-known/oauth-authorization-server",
		"/":       "/.well-known/oauth-authorization-server",
		"/a/b":    "/.well-known/oauth-authorization-server/a/b",
		"/a/b/":   "/a/b/.well-known/openid-configuration",
		"/realms": "/realms/.well-known/openid-configuration",
	} {
		t.Run(location+" for "+path, func(t *testing.T) {
			t.Parallel()
			mux := http.NewServeMux()
			server := httptest.NewServer(mux)
			defer server.Close()
			issuer := server.URL + path
			mux.HandleFunc(location, func(w http.ResponseWriter, _ *http.Request) {
				_ = json.NewEncoder(w).Encode(map[string]string{"issuer": issuer, "jwks_uri": server.URL + "/keys"})
			})
			mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte(keySet(t, jose.JSONWebKey{Key: rsaKeys[0].Public(), KeyID: "k1"})))
			})
			v, err := jwtauth.New(jwtauth.Options{Issuer: issuer})
			if err != nil {
				t.Fatal(err)
			}
			defer v.Close()
			verify(t, v, sign(t, signingKey{id: "k1", private: rsaKeys[0], alg: jose.RS256}, "at+jwt", claims(map[string]any{"iss": issuer})))
		})
	}
}
