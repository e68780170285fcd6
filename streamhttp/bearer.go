package streamhttp

import (
	"errors"
	"net/http"
	"strings"

	"github.com/mcptool-go/mcptool/internal/mcpheader"
)

// bearer returns the access token from the Authorization header. A token in the URL is ignored: URLs are recorded in
// logs and histories.
func (p *Protection) bearer(h http.Header) (token string, _ *httpError) {
	malformed := func(text string) *httpError {
		return p.refuse(http.StatusBadRequest, codeInvalidRequestBearer, "the header Authorization "+text, nil)
	}
	value, err := mcpheader.Single(h, "Authorization")
	switch {
	case errors.Is(err, mcpheader.ErrAbsent):
		return "", p.refuse(http.StatusUnauthorized, "", "this server requires an access token", p.scopes)
	case err != nil:
		return "", malformed(err.Error())
	}
	scheme, token, _ := strings.Cut(value, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", malformed("must have the scheme Bearer")
	}
	if token = strings.TrimLeft(token, " "); !isToken(token) {
		return "", malformed("has no valid token after Bearer")
	}
	return token, nil
}

// isToken reports whether text can be a bearer token (RFC 6750, section 2.1).
func isToken(text string) bool {
	text = strings.TrimRight(text, "=")
	return text != "" && !strings.ContainsFunc(text, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("-._~+/", c)
	})
}
