package streamhttp

import (
	"errors"
	"net/http"
	"strings"

	"github.com/mcptool-go/mcptool/internal/mcpheader"
)

// bearer returns the access token from the Authorization header. A token in the URL is ignored: URLs are recorded in
// logs and histories.
func bearer(h http.Header) (token string, _ *authError) {
	value, err := mcpheader.Single(h, "Authorization")
	switch {
	case errors.Is(err, mcpheader.ErrAbsent):
		return "", &authError{status: http.StatusUnauthorized, text: "this server requires an access token"}
	case err != nil:
		return "", malformed("the header Authorization " + err.Error())
	}
	scheme, token, _ := strings.Cut(value, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", malformed("the header Authorization must have the scheme Bearer")
	}
	if token = strings.TrimLeft(token, " "); !isToken(token) {
		return "", malformed("the header Authorization has no valid token after Bearer")
	}
	return token, nil
}

// malformed returns the error for a malformed Authorization header.
func malformed(text string) *authError {
	return &authError{status: http.StatusBadRequest, code: codeInvalidRequestBearer, text: text}
}

// isToken reports whether text can be a bearer token (RFC 6750, section 2.1).
func isToken(text string) bool {
	text = strings.TrimRight(text, "=")
	return text != "" && !strings.ContainsFunc(text, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("-._~+/", c)
	})
}
