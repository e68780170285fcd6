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

// challenge returns the header that tells a client what was wrong with its token, and how to get a
// better one. None of its values has a character that would have to be escaped.
func (p *Protection) challenge(d *denial) string {
	var params []string
	add := func(name, value string) {
		if value != "" {
			params = append(params, name+`="`+value+`"`)
		}
	}
	if d.code != "" {
		add("error", d.code)
		add("error_description", d.text)
	}
	add("resource_metadata", p.metadataURL)
	add("scope", strings.Join(d.scopes, " "))
	return "Bearer " + strings.Join(params, ", ")
}

// deny answers a request that is not let in.
func (p *Protection) deny(w http.ResponseWriter, d *denial) {
	if d.status < http.StatusInternalServerError {
		w.Header().Set(headerChallenge, p.challenge(d))
	}
	refuse(w, d.status, nil, codeInvalidRequest, d.text)
}

// stepUp returns the challenge to a call of a tool that needs these scopes. They are all told at
// once, with those that are needed for anything, and no others: clients add them to what
// they have.
func (p *Protection) stepUp(needed []string) string {
	return p.challenge(&denial{code: codeInsufficientScope, text: "the tool needs scopes that the token lacks", scopes: union(p.required, needed)})
}

// Challenge implements [runtime.Challenger].
func (p *reply) Challenge(needed []string) bool {
	if p.who.guard == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over {
		p.w.Header().Set(headerChallenge, p.who.guard.stepUp(needed))
	}
	return true
}

// Challenge implements [runtime.Challenger].
func (x *legacyReply) Challenge(needed []string) bool {
	if x.who.guard == nil {
		return false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.challenge = x.who.guard.stepUp(needed)
	return true
}
