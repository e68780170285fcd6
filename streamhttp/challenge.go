package streamhttp

import (
	"net/http"
	"strings"
)

// The error codes of challenges (RFC 6750, section 3.1).
const (
	codeInvalidRequestBearer = "invalid_request"
	codeInvalidToken         = "invalid_token"
	codeInsufficientScope    = "insufficient_scope"
)

const headerChallenge = "Www-Authenticate"

// challenge returns the value of the header WWW-Authenticate, with the reason for the refusal and the location of the
// metadata. None of its parameters contains characters that must be escaped.
func (p *Protection) challenge(e *authError) string {
	var params []string
	add := func(name, value string) {
		if value != "" {
			params = append(params, name+`="`+value+`"`)
		}
	}
	if e.code != "" {
		add("error", e.code)
		add("error_description", e.text)
	}
	add("resource_metadata", p.metadataURL)
	if p.metadataURL == "" {
		add("realm", "mcp") // one parameter is required
	}
	add("scope", strings.Join(e.scopes, " "))
	return "Bearer " + strings.Join(params, ", ")
}

// httpError returns the answer to a request that is not authorized.
func (p *Protection) httpError(e *authError) *httpError {
	answer := newError(e.status, e.text)
	if e.status < http.StatusInternalServerError {
		answer = answer.with(headerChallenge, p.challenge(e))
	} else {
		answer.code = codeInternal
	}
	if e.retry != "" {
		answer = answer.with("Retry-After", e.retry)
	}
	return answer
}

// stepUp returns the challenge for a call of a tool that needs these scopes. It lists them and the scopes that every
// request needs, but no others: clients add the listed scopes to those they have.
func (p *Protection) stepUp(needed []string) string {
	return p.challenge(&authError{code: codeInsufficientScope, text: "the tool needs scopes that the token lacks", scopes: union(p.required, needed)})
}
