package streamhttp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

// Protect returns an option for [NewHandler] that serves only requests with an access token: a
// bearer token in the Authorization header, verified anew for each of them. It also serves
// the metadata that lets clients find out where to get one, see [Protection.Metadata].
//
// The error tells every mistake in the resource.
func Protect(verify TokenVerifier, resource ProtectedResource) (*Protection, error) {
	uri, err := resource.check()
	if verify == nil {
		err = errors.Join(errors.New("there is no TokenVerifier"), err)
	}
	if err != nil {
		return nil, fmt.Errorf("protect: %w", err)
	}
	p := &Protection{
		verify:   verify,
		resource: uri.String(),
		path:     uri.EscapedPath(),
		required: slices.Clone(resource.Required),
		scopes:   union(resource.Required, resource.Scopes),
	}
	p.metadataURL = (&url.URL{Scheme: uri.Scheme, Host: uri.Host}).String() + MetadataPath + p.path
	p.metadata = p.renderMetadata(&resource)
	return p, nil
}

// Protection is the [Option] that [Protect] returns. It is safe for concurrent use.
type Protection struct {
	verify      TokenVerifier
	resource    string // its URI, in canonical form
	path        string // of the URI
	required    []string
	scopes      []string
	metadataURL string
	metadata    []byte
}

func (p *Protection) apply(c *config) { c.guard = p }

// verifyWithin is how long a token may take to be verified. The client waits, and net/http does
// not notice its going before the body has been read.
const verifyWithin = 10 * time.Second

// union returns the scopes of both lists, each once, in order.
func union(a, b []string) []string {
	var all []string
	for _, scope := range slices.Concat(a, b) {
		if !slices.Contains(all, scope) {
			all = append(all, scope)
		}
	}
	return all
}

// denial is why a request is not let in.
type denial struct {
	status int
	code   string // of RFC 6750; "" if the client has shown nothing, or is not to blame
	text   string // for the client; it says nothing of the token that its owner does not know
	scopes []string
	cause  string // for the log, "" for none; it does not have the token
}

// admit returns who sends the request, or why it is not served.
func (p *Protection) admit(r *http.Request) (*visitor, *denial) {
	text, problem := bearer(r.Header)
	if problem != nil {
		if problem.status == http.StatusUnauthorized {
			problem.scopes = p.scopes
		}
		return nil, problem
	}
	ctx, cancel := context.WithTimeout(r.Context(), verifyWithin)
	defer cancel()
	token, err := p.ask(ctx, text)
	switch {
	case errors.Is(err, ErrInvalidToken):
		problem = p.invalid("the token is not valid")
		problem.cause = withoutToken(err, text)
	case err != nil:
		problem = &denial{status: http.StatusServiceUnavailable, text: "the token could not be verified now; try again later", cause: withoutToken(err, text)}
	default:
		problem = p.check(&token)
	}
	if problem != nil {
		return nil, problem
	}
	access := &runtime.Access{Principal: token.Principal, Scopes: token.Scopes}
	return &visitor{access: access, guard: p, expiry: token.Expiry}, nil
}

// ask asks the verifier. One that panics has failed.
func (p *Protection) ask(ctx context.Context, text string) (token Token, err error) {
	defer func() {
		switch v := recover(); v {
		case nil:
		case http.ErrAbortHandler:
			panic(v) //nolint:forbidigo // it asks net/http for just that
		default:
			err = fmt.Errorf("the TokenVerifier panicked: %v", v)
		}
	}()
	return p.verify(ctx, text)
}

// check holds a token that is what it claims to be against the clock and the resource.
func (p *Protection) check(token *Token) *denial {
	switch {
	case token.Principal == "":
		return &denial{status: http.StatusInternalServerError, text: "the token could not be verified", cause: "the TokenVerifier named no principal"}
	case !token.Expiry.IsZero() && !time.Now().Before(token.Expiry):
		return p.invalid("the token has expired")
	case !slices.ContainsFunc(token.Audience, p.isMe):
		return p.invalid("the token was not issued for this resource")
	}
	for _, scope := range p.required {
		if !slices.Contains(token.Scopes, scope) {
			return &denial{status: http.StatusForbidden, code: codeInsufficientScope, text: "the token lacks a scope that every request needs", scopes: p.required}
		}
	}
	return nil
}

// invalid refuses a token that was shown. The client needs another, for which it has to
// know the scopes.
func (p *Protection) invalid(text string) *denial {
	return &denial{status: http.StatusUnauthorized, code: codeInvalidToken, text: text, scopes: p.scopes}
}

// isMe reports whether an audience means this resource.
func (p *Protection) isMe(audience string) bool {
	u, err := parseResource(audience)
	return err == nil && u.String() == p.resource
}

// withoutToken returns the text of an error, without the token that it may quote, as errors of
// package net/http quote URLs.
func withoutToken(err error, token string) string {
	return strings.NewReplacer(token, "[token]", url.QueryEscape(token), "[token]", url.PathEscape(token), "[token]").Replace(err.Error())
}
