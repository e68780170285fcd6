package streamhttp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/callsite"
	"github.com/mcptool-go/mcptool/runtime"
)

// Protect returns an option for [NewHandler] and [NewSSEHandler]. The handler then serves only requests with an access
// token: a bearer token in the Authorization header (RFC 6750), which verify verifies for each request. Clients learn
// from the metadata ([Protection.Metadata]) where to get a token.
//
// The error lists all mistakes in the resource, and reports if verify is nil.
func Protect(verify TokenVerifier, resource ProtectedResource) (*Protection, error) {
	uri, err := resource.check()
	if verify == nil {
		err = errors.Join(errors.New("the TokenVerifier is nil"), err)
	}
	if err != nil {
		return nil, fmt.Errorf("protect: %w", err)
	}
	p := &Protection{
		verify:   verify,
		location: callsite.Here("github.com/mcptool-go/mcptool/streamhttp").String(),
		resource: uri.String(),
		path:     uri.EscapedPath(),
		host:     uri.Hostname(),
		required: slices.Clone(resource.Required),
		scopes:   union(resource.Required, resource.Scopes),
	}
	p.metadataURL = (&url.URL{Scheme: uri.Scheme, Host: uri.Host}).String() + MetadataPath + p.path
	p.metadata, err = p.renderMetadata(&resource)
	return p, err
}

// Protection is the [Option] that [Protect] returns. It is safe for concurrent use. The zero value is not usable.
type Protection struct {
	verify      TokenVerifier
	location    string // file:line of the call of Protect
	resource    string // URI of the resource, in canonical form; "" with StaticTokens
	path        string // path of the URI
	host        string // host of the URI without its port; requests may name it in the Host header
	required    []string
	scopes      []string
	metadataURL string
	metadata    []byte
}

func (p *Protection) applyToServe(c *serveConfig) { p.applyToHandler(&c.handler) }

func (p *Protection) applyToHandler(c *config) {
	if c.protection = p; p == nil || p.verify == nil { // nil would let everyone in
		c.mistakes = append(c.mistakes, errors.New("the Protection is nil or its zero value: check the error of Protect"))
	}
}

// verifyTimeout bounds the verification of a token. The client waits meanwhile, and net/http does not detect a
// disconnect before the body has been read.
const verifyTimeout = 10 * time.Second

// unverified returns the error for a request whose token could not be verified because of err.
func unverified(err error, token string) *httpError {
	wait, logged := 5*time.Second, false
	if e, ok := errors.AsType[*UnavailableError](err); ok {
		logged = e.Logged
		if e.RetryAfter > 0 {
			wait = e.RetryAfter
		}
	}
	answer := unavailable(nil, "the token could not be verified now; try again later").with("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	answer.cause, answer.logged = withoutToken(err, token), logged
	return answer
}

// union returns the scopes of both lists without duplicates, in order.
func union(a, b []string) []string {
	var all []string
	for _, scope := range slices.Concat(a, b) {
		if !slices.Contains(all, scope) {
			all = append(all, scope)
		}
	}
	return all
}

// includes reports whether all contains each of the scopes.
func includes(all, scopes []string) bool {
	return !slices.ContainsFunc(scopes, func(scope string) bool { return !slices.Contains(all, scope) })
}

// verifyRequest verifies the access token of a request, and returns its sender.
func (p *Protection) verifyRequest(r *http.Request) (caller, *httpError) {
	text, failure := p.bearer(r.Header)
	if failure != nil {
		return caller{}, failure
	}
	ctx, cancel := context.WithTimeout(context.WithValue(r.Context(), peerKey{}, r.RemoteAddr), verifyTimeout)
	defer cancel()
	token, err := p.verifyToken(ctx, text)
	switch {
	case errors.Is(err, ErrInvalidToken):
		failure = p.invalid("the token is not valid")
		failure.cause = withoutToken(err, text)
	case err != nil:
		failure = unverified(err, text)
	default:
		failure = p.check(&token)
	}
	if failure != nil {
		return caller{}, failure
	}
	access := &runtime.Access{Tenant: token.Tenant, Principal: token.Principal, Scopes: token.Scopes, Claims: token.Claims}
	return caller{access: access, protection: p, expiry: token.Expiry}, nil
}

// verifyToken calls the verifier. It returns a panic of the verifier as an error.
func (p *Protection) verifyToken(ctx context.Context, text string) (token Token, err error) {
	defer func() {
		switch v := recover(); v {
		case nil:
		case http.ErrAbortHandler:
			panic(v) //nolint:forbidigo // documented by net/http as the way to abort a response
		default:
			err = fmt.Errorf("%s panicked: %v", p.verifierName(), v)
		}
	}()
	return p.verify(ctx, text)
}

// verifierName names the verifier, by the location of the call of Protect, in log records about its mistakes.
func (p *Protection) verifierName() string {
	return "the TokenVerifier that was passed to streamhttp.Protect at " + p.location
}

// check checks a verified token: its expiry, its audience, and the scopes that every request needs.
func (p *Protection) check(token *Token) *httpError {
	switch {
	case token.Principal == "":
		return &httpError{
			status: http.StatusInternalServerError, code: codeInternal, text: "the server could not determine to whom the token was issued; the reason is in its log",
			cause: p.verifierName() + " returned a Token without a Principal and no error: set Principal to the user or client that the token was issued to, or return streamhttp.ErrInvalidToken",
		}
	case !token.Expiry.IsZero() && !time.Now().Before(token.Expiry):
		return p.invalid("the token has expired")
	case p.resource != "" && !slices.ContainsFunc(token.Audience, p.isThisResource):
		failure := p.invalid("the token was not issued for this resource")
		failure.cause = fmt.Sprintf("the token was issued for %.200q, and not for %s; if the issuer means this server by another aud, see Audiences in jwtauth.Options", token.Audience, p.resource)
		if len(token.Audience) == 0 {
			failure.cause = p.verifierName() + " returned a Token without an Audience: set Audience to the resources that the token was issued for"
		}
		return failure
	}
	if !includes(token.Scopes, p.required) {
		return p.refuse(http.StatusForbidden, codeInsufficientScope, "the token lacks a scope that every request needs", p.required)
	}
	return nil
}

// invalid returns the error for an invalid token. It includes the scopes to request, since the client needs another
// token.
func (p *Protection) invalid(text string) *httpError {
	return p.refuse(http.StatusUnauthorized, codeInvalidToken, text, p.scopes)
}

// isThisResource reports whether an audience is the URI of this resource.
func (p *Protection) isThisResource(audience string) bool {
	u, err := parseResource(audience)
	return err == nil && u.String() == p.resource
}

// withoutToken returns the text of an error with the token masked: errors of package net/http quote URLs that may
// contain it.
func withoutToken(err error, token string) string {
	return strings.NewReplacer(token, "[token]", url.QueryEscape(token), "[token]", url.PathEscape(token), "[token]").Replace(err.Error())
}

// caller is the sender of a request.
type caller struct {
	access     *runtime.Access
	protection *Protection // that has verified the access token; nil without one
	expiry     time.Time   // of the access token; zero: never
}

type peerKey struct{}
