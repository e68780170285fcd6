package jwtauth_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcptool-go/mcptool/integrations/jwtauth"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// newServer returns the handler of a server that requires tokens of an issuer.
func newServer(issuer string) (http.Handler, *jwtauth.Verifier, error) {
	verifier, err := jwtauth.New(jwtauth.Options{Issuer: issuer})
	if err != nil {
		return nil, nil, err
	}
	guard, err := streamhttp.Protect(verifier.Verify, streamhttp.ProtectedResource{
		Resource:             "https://mcp.example.com/mcp",
		AuthorizationServers: []string{issuer},
		Scopes:               []string{"notes:read"},
	})
	if err != nil {
		return nil, nil, err
	}
	srv := &runtime.Server{Name: "notes", Version: "1.0.0", Tools: &mcptool.Registry{}}
	tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (string, error) {
		_, user, _ := strings.Cut(mcptool.Caller(ctx).Principal, "#")
		return "the notes of " + user, nil
	}, mcptool.Name("list_notes"), mcptool.Scopes("notes:read"))
	if err == nil {
		err = srv.Tools.Add(tool)
	}
	if err != nil {
		return nil, nil, err
	}
	handler, err := streamhttp.NewHandler(srv, guard)
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	mux.Handle(streamhttp.MetadataPath, guard.Metadata())
	mux.Handle(streamhttp.MetadataPath+"/", guard.Metadata())
	return mux, verifier, nil
}

// A server requires JWT access tokens. The authorization server of this example has one key, and
// issues tokens at once.
func Example() {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		fmt.Println(err)
		return
	}
	issuer := newIssuer(private)
	defer issuer.Close()
	handler, verifier, err := newServer(issuer.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer verifier.Close()
	for _, scope := range []string{"notes:read", "notes:write"} {
		token, err := issueToken(private, issuer.URL, scope)
		if err != nil {
			fmt.Println(err)
			return
		}
		r := httptest.NewRequest(http.MethodPost, "https://mcp.example.com/mcp",
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_notes"}}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("MCP-Protocol-Version", "2025-11-25")
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		fmt.Println(w.Code, strings.Contains(w.Body.String(), "the notes of ada"))
		if challenge := w.Header().Get("WWW-Authenticate"); challenge != "" {
			fmt.Println(strings.ReplaceAll(challenge, ", ", "\n    "))
		}
	}
	// Output:
	// 200 true
	// 403 false
	// Bearer error="insufficient_scope"
	//     error_description="the tool needs scopes that the token lacks"
	//     resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"
	//     scope="notes:read"
}

// newIssuer starts an authorization server that publishes its metadata and its key.
func newIssuer(private *ecdsa.PrivateKey) *httptest.Server {
	mux := http.NewServeMux()
	issuer := httptest.NewServer(mux)
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]string{"issuer": issuer.URL, "jwks_uri": issuer.URL + "/keys"})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: private.Public(), KeyID: "k1"}}})
	})
	return issuer
}

// issueToken returns a token for ada.
func issueToken(private *ecdsa.PrivateKey, issuer, scope string) (string, error) {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: private, KeyID: "k1"}},
		(&jose.SignerOptions{}).WithType("at+jwt"))
	if err != nil {
		return "", err
	}
	return jwt.Signed(signer).Claims(jwt.Claims{
		Issuer: issuer, Subject: "ada", Audience: jwt.Audience{"https://mcp.example.com/mcp"},
		Expiry: jwt.NewNumericDate(time.Now().Add(time.Hour)),
	}).Claims(map[string]any{"client_id": "c1", "scope": scope}).Serialize()
}
