package oauthproxy_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcptool-go/mcptool/integrations/oauthproxy"
)

var providerKey = sync.OnceValue(func() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	return key
})

// provider is a provider that logs in one user without asking, and whose mistakes tests choose. Its
// codes are the queries of its authorization requests.
type provider struct{ user string }

func (p provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	reply := func(v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		reply(map[string]any{"issuer": idp, "authorization_endpoint": idp + "/auth", "token_endpoint": idp + "/token", "jwks_uri": idp + "/keys", "id_token_signing_alg_values_supported": []string{"ES256"}})
	case "/keys":
		reply(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: providerKey().Public(), KeyID: "k"}}})
	case "/auth":
		q := r.URL.Query()
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"state": {q.Get("state")}, "code": {r.URL.RawQuery}}.Encode(), http.StatusFound)
	case "/token":
		q, _ := url.ParseQuery(r.FormValue("code"))
		claims := map[string]any{"iss": idp, "sub": p.user, "aud": "proxy", "exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix(), "nonce": q.Get("nonce")}
		key := providerKey()
		switch p.user {
		case "other nonce":
			claims["nonce"] = "x"
		case "other audience":
			claims["aud"] = "x"
		case "other issuer":
			claims["iss"] = "https://other.example.com"
		case "other key":
			key, _ = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		case "expired":
			claims["exp"] = time.Now().Add(-time.Hour).Unix()
		case "refused":
			w.WriteHeader(http.StatusBadRequest)
			reply(map[string]any{"error": "invalid_grant", "error_description": "secret-of-provider"})
			return
		case "no ID token":
			reply(map[string]any{"access_token": "provider-token", "token_type": "Bearer"})
			return
		case "nobody":
			claims["sub"] = ""
		}
		signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "k"}}, nil)
		if err != nil {
			panic(err)
		}
		text, _ := json.Marshal(claims)
		signed, err := signer.Sign(text)
		if err != nil {
			panic(err)
		}
		id, _ := signed.CompactSerialize()
		reply(map[string]any{"access_token": "provider-token", "token_type": "Bearer", "id_token": id})
	default:
		http.NotFound(w, r)
	}
}

// connectNow consents, for a provider that asks nothing.
func (b *browser) connectNow(authorize string) url.Values {
	b.t.Helper()
	p := b.decide(b.get(authorize), "allow")
	if !strings.Contains(p.location, "code=") {
		b.t.Fatalf("no redirect to the client: %d %s", p.status, p.text)
	}
	return mustParse(b.t, p.location).Query()
}

// register registers a client.
func (w *world) register(metadata string) answer {
	w.t.Helper()
	r, err := http.NewRequest(http.MethodPost, issuer+"/register", strings.NewReader(metadata))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	return w.send(r)
}

// registered registers a client, and returns its id.
func (w *world) registered(metadata string) string {
	w.t.Helper()
	a := w.register(metadata)
	if a.status != http.StatusCreated {
		w.t.Fatalf("%s: got %v", metadata, a)
	}
	return a.string("client_id")
}

// admit makes a function for Config.Admit.
func admit(decide func(*oauthproxy.Login) error) func(context.Context, *oauthproxy.Login) error {
	return func(_ context.Context, l *oauthproxy.Login) error { return decide(l) }
}

// connectDenied consents, and returns the error that the client gets.
func (b *browser) connectDenied(authorize string) url.Values {
	b.t.Helper()
	p := b.decide(b.get(authorize), "allow")
	if !strings.Contains(p.location, "error=") {
		b.t.Fatalf("no error for the client: %d %q %s", p.status, p.location, p.text)
	}
	return mustParse(b.t, p.location).Query()
}
