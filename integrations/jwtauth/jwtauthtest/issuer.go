// Package jwtauthtest has an issuer of access tokens for tests of servers that use package jwtauth.
package jwtauthtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// Issuer is an authorization server that publishes its metadata and a key, and signs any token. It has no endpoints for
// clients. It is safe for concurrent use.
type Issuer struct {
	// URL is the identifier of the issuer, an http URL on loopback: Issuer of the options of package jwtauth, and an
	// element of AuthorizationServers of the resource.
	URL string

	tb     testing.TB
	signer jose.Signer
}

// NewIssuer starts an issuer that stops when the test ends. It ends the test if it cannot.
func NewIssuer(tb testing.TB) *Issuer {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "test"}},
		(&jose.SignerOptions{}).WithType("at+jwt"))
	if err != nil {
		tb.Fatal(err)
	}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	tb.Cleanup(server.Close)
	keys := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "test", Algorithm: string(jose.ES256), Use: "sig"}}}
	serve := func(path string, document any) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(document) // the client has disconnected
		})
	}
	serve("/keys", keys)
	serve("/.well-known/oauth-authorization-server", map[string]string{"issuer": server.URL, "jwks_uri": server.URL + "/keys"})
	return &Issuer{URL: server.URL, tb: tb, signer: signer}
}

// Token returns an access token in the profile of RFC 9068 with these claims, such as sub, aud and scope. By default iss is the issuer, client_id is "test", iat is now, and exp is in an hour; a
// claim that is nil is left out. It ends the test if a value cannot be encoded.
func (i *Issuer) Token(claims map[string]any) string {
	i.tb.Helper()
	now := time.Now()
	all := map[string]any{
		"iss": i.URL, "client_id": "test", "jti": rand.Text(), "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}
	maps.Copy(all, claims)
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
	token, err := jwt.Signed(i.signer).Claims(all).Serialize()
	if err != nil {
		i.tb.Fatal(err)
	}
	return token
}
