package jwtauthtest_test

import (
	"errors"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/integrations/jwtauth"
	"github.com/mcptool-go/mcptool/integrations/jwtauth/jwtauthtest"
	"github.com/mcptool-go/mcptool/streamhttp"
)

const resource = "https://mcp.example.com/mcp"

// TestIssuer checks that package jwtauth accepts tokens of the issuer, and that claims reach the verifier.
func TestIssuer(t *testing.T) {
	t.Parallel()
	issuer := jwtauthtest.NewIssuer(t)
	verifier, err := jwtauth.New(jwtauth.Options{Issuer: issuer.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer verifier.Close()
	token, err := verifier.Verify(t.Context(), issuer.Token(map[string]any{"sub": "ada", "aud": resource, "scope": "notes:read", "tenant": "acme"}))
	if err != nil || len(token.Audience) != 1 || token.Audience[0] != resource || len(token.Scopes) != 1 || token.Scopes[0] != "notes:read" {
		t.Errorf("got %+v, %v", token, err)
	}
	other := jwtauthtest.NewIssuer(t)
	for name, text := range map[string]string{
		"expired":              issuer.Token(map[string]any{"sub": "ada", "exp": time.Now().Add(-time.Hour).Unix()}),
		"no expiry":            issuer.Token(map[string]any{"sub": "ada", "exp": nil}),
		"another issuer":       other.Token(map[string]any{"sub": "ada"}),
		"another issuer's key": other.Token(map[string]any{"sub": "ada", "iss": issuer.URL}),
	} {
		if _, err := verifier.Verify(t.Context(), text); !errors.Is(err, streamhttp.ErrInvalidToken) {
			t.Errorf("%s: got error %v, want ErrInvalidToken", name, err)
		}
	}
}
