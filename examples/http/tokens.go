package main

import (
	"errors"
	"strings"

	"github.com/mcptool-go/mcptool/streamhttp"
)

// readTokens parses lines of "token principal scope…". With an authorization server there is no such table:
// integrations/jwtauth verifies its tokens.
func readTokens(text string) (map[string]streamhttp.Token, error) {
	tokens := map[string]streamhttp.Token{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
			continue
		case len(words) == 1:
			return nil, errors.New("TOKENS: a line is a token, a principal and perhaps scopes")
		}
		tokens[words[0]] = streamhttp.Token{Principal: words[1], Scopes: words[2:]}
	}
	if len(tokens) == 0 {
		return nil, errors.New("TOKENS has no tokens; give it a line such as: s3cret ada notes:read notes:write")
	}
	return tokens, nil
}
