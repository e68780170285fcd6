package jwtauth

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/json"
	"golang.org/x/sync/singleflight"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/outbound"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// Verifier verifies access tokens of one issuer. Its method Verify is a [streamhttp.TokenVerifier].
// It is safe for concurrent use.
type Verifier struct {
	opt      Options
	issuer   *issuer
	keys     *fetcher[[]key]
	endpoint *fetcher[string] // the URL for introspection
	cached   cache            // valid tokens
	inactive cache            // tokens that the issuer calls inactive; made-up ones do not displace valid ones
	asking   singleflight.Group
	slots    *admission.Semaphore // one per request to the introspection endpoint
	outage   outage               // of that endpoint

	addresses *outbound.KeyedSemaphore[admission.Caller] // for the requests that each address causes
}

// algorithms are the accepted signature algorithms. All are asymmetric: a symmetric key that
// verifies can also sign.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// New returns a verifier. It sends no request before the first token. The error lists all mistakes
// in the options.
func New(opt Options) (*Verifier, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("jwtauth: %w", err)
	}
	v := &Verifier{opt: opt, issuer: newIssuer(opt.Issuer, opt.Client), slots: admission.NewSemaphore(maxIntrospections)}
	v.addresses = outbound.NewKeyedSemaphore[admission.Caller](maxAddressIntrospections)
	v.outage.log = opt.Logger
	v.keys = &fetcher[[]key]{fetch: v.fetchKeys, maxAge: opt.KeyMaxAge, outage: outage{log: opt.Logger}}
	v.endpoint = &fetcher[string]{fetch: v.fetchEndpoint, maxAge: opt.KeyMaxAge, outage: outage{log: opt.Logger}}
	return v, nil
}

// Close ends the goroutine that fetches keys or metadata, if it is running. After that Verify fails
// when it needs something that has not been fetched.
func (v *Verifier) Close() {
	v.keys.close()
	v.endpoint.close()
}

// Verify verifies an access token. The error wraps [streamhttp.ErrInvalidToken] if the token is
// invalid, and is a [streamhttp.UnavailableError] if the issuer could not be reached. The caller
// compares Audience with its resource.
func (v *Verifier) Verify(ctx context.Context, token string) (streamhttp.Token, error) {
	h := hashOf(token)
	if r := v.cached.get(&h, time.Now()); r != nil {
		return r.token, nil
	}
	if v.opt.Introspection != nil {
		return v.introspect(ctx, token, &h)
	}
	verified, err := v.verifyJWT(ctx, token)
	if err == nil {
		v.remember(&h, verified)
	}
	return verified, err
}

// remember caches a valid token.
func (v *Verifier) remember(h *hash, token streamhttp.Token) {
	until := time.Now().Add(v.opt.CacheFor)
	if !token.Expiry.IsZero() && token.Expiry.Before(until) {
		until = token.Expiry
	}
	if v.opt.CacheFor > 0 {
		v.cached.put(h, &result{token: token, until: until})
	}
}

// invalid returns the error for an invalid token. The reason is for the log.
func invalid(reason error) error {
	return fmt.Errorf("%w: %w", streamhttp.ErrInvalidToken, reason)
}

// verifyJWT verifies a token by its signature. The claims come first: a token that is refused
// anyway, such as one of another issuer, must not cause requests.
func (v *Verifier) verifyJWT(ctx context.Context, text string) (streamhttp.Token, error) {
	began := time.Now()
	token, p, err := v.parseJWT(text)
	if err != nil {
		return streamhttp.Token{}, invalid(err)
	}
	keys, err := v.keys.get(ctx)
	if err != nil {
		return streamhttp.Token{}, err
	}
	valid, known := signed(token, keys)
	if !valid && !known {
		keys, err = v.keys.since(ctx, began)
		if valid, known = signed(token, keys); !valid && !known && err != nil {
			return streamhttp.Token{}, err // the issuer may have published a new key meanwhile
		}
	}
	if !valid {
		return streamhttp.Token{}, invalid(errors.New("no key of the issuer has made its signature"))
	}
	return v.grant(p, token.UnsafePayloadWithoutVerification())
}

// parseJWT parses a token and checks its header and claims, but not its signature.
func (v *Verifier) parseJWT(text string) (*jose.JSONWebSignature, *payload, error) {
	token, err := jose.ParseSignedCompact(text, algorithms)
	if err != nil {
		return nil, nil, fmt.Errorf("it is not a signed JWT (for other tokens, see Options.Introspection): %.200s", err.Error())
	}
	written, _ := token.Signatures[0].Protected.ExtraHeaders[jose.HeaderType].(string)
	typ := strings.TrimPrefix(strings.ToLower(written), "application/")
	var p payload
	if err := json.Unmarshal(token.UnsafePayloadWithoutVerification(), &p); err != nil {
		return nil, nil, fmt.Errorf("its claims cannot be decoded: %.200s", err.Error())
	}
	isUntyped := typ == "jwt" || typ == ""
	switch {
	case isUntyped && !v.opt.AllowUntyped:
		return nil, nil, fmt.Errorf(`typ is %q, and not "at+jwt"; set Options.AllowUntyped if the issuer writes no other`, written)
	case !isUntyped && typ != "at+jwt":
		return nil, nil, fmt.Errorf(`typ is %.100q, and not "at+jwt"`, written)
	case p.Expiry == nil:
		return nil, nil, errors.New("it has no exp")
	case len(p.Audience) == 0:
		return nil, nil, errors.New("it has no aud; the issuer must write the URI of the server, or one of Options.Audiences")
	case isUntyped && !p.isAccessToken():
		return nil, nil, errors.New("it may be an ID token: see Options.AllowUntyped")
	}
	return token, &p, v.check(&p)
}
