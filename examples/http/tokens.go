package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/mcptool-go/mcptool/streamhttp"
)

// tokens are the valid access tokens with their meaning. Only hashes of tokens are kept, so that neither memory nor the
// time of a lookup reveals one.
//
// With an authorization server there is no such table: integrations/jwtauth verifies its tokens.
type tokens map[[sha256.Size]byte]streamhttp.Token

// readTokens parses lines of "token principal scope…". All tokens are issued for one resource; tokens from a real
// issuer name their audience.
func readTokens(text, resource string) (tokens, error) {
	known := tokens{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
			continue
		case len(words) == 1:
			return nil, errors.New("TOKENS: a line is a token, a principal and perhaps scopes")
		}
		known[sha256.Sum256([]byte(words[0]))] = streamhttp.Token{Principal: words[1], Scopes: words[2:], Audience: []string{resource}}
	}
	if len(known) == 0 {
		return nil, errors.New("TOKENS has no tokens; give it a line such as: s3cret ada notes:read notes:write")
	}
	return known, nil
}

// verify is the [streamhttp.TokenVerifier].
func (t tokens) verify(_ context.Context, token string) (streamhttp.Token, error) {
	known, ok := t[sha256.Sum256([]byte(token))]
	if !ok {
		return streamhttp.Token{}, fmt.Errorf("the token was never issued: %w", streamhttp.ErrInvalidToken)
	}
	return known, nil
}
