package jwtauth_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"fmt"

	"github.com/mcptool-go/mcptool/integrations/jwtauth"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// withStatic returns a verifier that also accepts static tokens, by their SHA-256 hash, until all clients have new ones.
func withStatic(static map[[32]byte]streamhttp.Token, verify streamhttp.TokenVerifier) streamhttp.TokenVerifier {
	return func(ctx context.Context, token string) (streamhttp.Token, error) {
		if known, ok := static[sha256.Sum256([]byte(token))]; ok {
			return known, nil
		}
		return verify(ctx, token)
	}
}

// samePrincipal returns a Map that gives users the principals of their static tokens. The keys are the subjects of the
// issuer, which users cannot choose.
func samePrincipal(principals map[string]string) func(*jwtauth.Claims, *streamhttp.Token) error {
	return func(claims *jwtauth.Claims, token *streamhttp.Token) error {
		if principal, ok := principals[claims.Subject]; ok {
			token.Principal = principal
		}
		return nil
	}
}

// A server that had static tokens accepts them together with those of an issuer, for the same principals.
func ExampleOptions_staticTokens() {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		fmt.Println(err)
		return
	}
	issuer := newIssuer(private)
	defer issuer.Close()
	ofIssuer, err := issueToken(private, issuer.URL, "notes:read") // its subject is ada
	if err != nil {
		fmt.Println(err)
		return
	}
	const resource = "https://mcp.example.com/mcp"
	verifier, err := jwtauth.New(jwtauth.Options{
		Issuer: issuer.URL,
		Map:    samePrincipal(map[string]string{"ada": "ada-1815"}),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer verifier.Close()
	verify := withStatic(map[[32]byte]streamhttp.Token{
		sha256.Sum256([]byte("s3cret-1")): {Principal: "ada-1815", Scopes: []string{"notes:read"}, Audience: []string{resource}},
	}, verifier.Verify)
	for _, text := range []string{"s3cret-1", ofIssuer, "s3cret-2"} {
		token, err := verify(context.Background(), text)
		fmt.Println(token.Principal, token.Scopes, err != nil)
	}
	// Output:
	// ada-1815 [notes:read] false
	// ada-1815 [notes:read] false
	//  [] true
}
