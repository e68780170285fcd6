package streamhttp

import "strings"

// The error codes of challenges (RFC 6750, section 3.1).
const (
	codeInvalidRequestBearer = "invalid_request"
	codeInvalidToken         = "invalid_token"
	codeInsufficientScope    = "insufficient_scope"
)

const headerChallenge = "Www-Authenticate"

// challenge returns the value of the header WWW-Authenticate, with the reason for the refusal and the location of the
// metadata. None of its parameters contains characters that must be escaped.
func (p *Protection) challenge(code, text string, scopes []string) string {
	var params []string
	add := func(name, value string) {
		if value != "" {
			params = append(params, name+`="`+value+`"`)
		}
	}
	if code != "" {
		add("error", code)
		add("error_description", text)
	}
	add("resource_metadata", p.metadataURL)
	if p.metadataURL == "" {
		add("realm", "mcp") // one parameter is required
	}
	add("scope", strings.Join(scopes, " "))
	return "Bearer " + strings.Join(params, ", ")
}

// refuse returns the answer to a request that is not authorized. The code is "" without a token. The text reveals nothing
// about the token that its owner does not know.
func (p *Protection) refuse(status int, code, text string, scopes []string) *httpError {
	return newError(status, text).with(headerChallenge, p.challenge(code, text, scopes))
}

// stepUp returns the challenge for a call of a tool that needs these scopes. It lists them and the scopes that every
// request needs, but no others: clients add the listed scopes to those they have.
func (p *Protection) stepUp(needed []string) string {
	return p.challenge(codeInsufficientScope, "the tool needs scopes that the token lacks", union(p.required, needed))
}
