package oauthproxy

import (
	"context"
	"crypto/rsa"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/json" // case-sensitive, and refuses duplicate names
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcptool-go/mcptool/internal/admission"
)

// The methods by which a client authenticates at the token endpoint (RFC 7591, section 2).
const (
	methodNone = "none"
	methodKey  = "private_key_jwt" // a signed assertion (RFC 7523, section 2.2)
)

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

// Limits of assertions.
const (
	assertionTime   = time.Hour        // the longest time to exp: their ids are stored until then
	assertionLeeway = 30 * time.Second // between the clocks of a client and this process
	maxAssertionID  = 256              // bytes
	maxAssertions   = 50_000           // that are stored
	maxOfClient     = 10_000           // of them
	maxKeySet       = 64 << 10         // bytes
	maxKeys         = 16
	newKeysAfter    = 10 * time.Second // since the latest fetch, for an assertion by an unknown key
)

// algorithms are the signature algorithms of assertions. All are asymmetric: a document has no secrets.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

func badAssertion(reason string) error {
	return failure("invalid_client", "client_assertion is invalid: "+reason)
}

// assertion is an assertion of a client, which is not verified before [Proxy.authenticate] has returned.
type assertion struct {
	signed *jose.JSONWebSignature
	claims jwt.Claims
}

func parseAssertion(text string) (a assertion, err error) {
	if a.signed, err = jose.ParseSignedCompact(text, algorithms); err != nil {
		return a, badAssertion("it is not a JWT with an asymmetric signature")
	}
	typ, _ := a.signed.Signatures[0].Protected.ExtraHeaders[jose.HeaderType].(string)
	switch strings.TrimPrefix(strings.ToLower(typ), "application/") {
	case "", "jwt", "client-authentication+jwt":
	default: // such as an access token
		return a, badAssertion("its typ is not JWT or client-authentication+jwt")
	}
	if json.Unmarshal(a.signed.UnsafePayloadWithoutVerification(), &a.claims) != nil {
		return a, badAssertion("its claims cannot be decoded")
	}
	return a, nil
}

// nameClient adds the client_id, which a request with an assertion need not have (RFC 7521, section 4.2).
func nameClient(params map[string]string) {
	if params["client_id"] == "" && params["client_assertion"] != "" {
		if a, err := parseAssertion(params["client_assertion"]); err == nil {
			params["client_id"] = a.claims.Subject
		}
	}
}

// authenticate authenticates the client that has sent a request, if it must by the method, or has sent an assertion. An
// assertion is valid once.
func (p *Proxy) authenticate(r *http.Request, params map[string]string, method string) error {
	id, text := params["client_id"], params["client_assertion"]
	switch {
	case text == "" && method != methodKey:
		return nil
	case text == "":
		return failure("invalid_client", "the client has to authenticate with private_key_jwt: client_assertion is missing")
	case params["client_assertion_type"] != assertionType:
		return failure("invalid_client", "client_assertion_type must be "+assertionType)
	case !strings.HasPrefix(id, "https://"):
		return failure("invalid_client", "only a client with a document has keys for client_assertion")
	}
	a, err := parseAssertion(text)
	if err != nil {
		return err
	}
	if reason := a.problem(id, p.config.Issuer); reason != "" {
		return badAssertion(reason)
	}
	if err := p.verifyAssertion(r.Context(), &a, id, addressOf(r)); err != nil {
		if errors.Is(err, errUnfetched) { // invalid_client would make the client register again
			return failure("temporarily_unavailable", "the document or the keys of the client cannot be fetched")
		}
		return err
	}
	return p.used.add(id, a.claims.ID, a.claims.Expiry.Time().Add(assertionLeeway))
}

// problem returns what is wrong with the claims for a client, or "".
func (a *assertion) problem(id, issuer string) string {
	now, c := time.Now(), &a.claims
	isFuture := func(date *jwt.NumericDate) bool { return date != nil && date.Time().After(now.Add(assertionLeeway)) }
	isElsewhere := func(audience string) bool {
		return !slices.Contains([]string{issuer, issuer + "/", issuer + "/token", issuer + "/revoke"}, audience)
	}
	switch {
	case c.Issuer != id || c.Subject != id:
		return "iss and sub must be the client_id"
	case len(c.Audience) == 0 || slices.ContainsFunc(c.Audience, isElsewhere): // another recipient could send it here
		return "aud must be " + issuer + " or the URL of the endpoint, and nothing else"
	case c.Expiry == nil || !c.Expiry.Time().After(now.Add(-assertionLeeway)):
		return "exp is missing or in the past"
	case c.Expiry.Time().After(now.Add(assertionTime + assertionLeeway)):
		return "exp is more than an hour in the future"
	case isFuture(c.NotBefore) || isFuture(c.IssuedAt):
		return "nbf or iat is in the future"
	case c.ID == "" || len(c.ID) > maxAssertionID:
		return "jti is missing or too long"
	}
	return ""
}

// verifyAssertion verifies the signature with the keys of the client. If none of them has made it, they are fetched again,
// because the client may have a new one.
func (p *Proxy) verifyAssertion(ctx context.Context, a *assertion, id string, address netip.Addr) error {
	for _, maxAge := range []time.Duration{freshFor, newKeysAfter} {
		c, err := p.documented(ctx, id, address, maxAge)
		if err != nil {
			return err
		}
		keys, err := p.keysOf(ctx, &c, address, maxAge)
		if err != nil {
			return err
		}
		if a.isSigned(&c, keys) {
			return nil
		}
	}
	return badAssertion("no key of the client has made its signature")
}

// keysOf returns the keys of a client.
func (p *Proxy) keysOf(ctx context.Context, c *client, address netip.Addr, maxAge time.Duration) ([]jose.JSONWebKey, error) {
	if c.keysURL == "" {
		return c.keys, nil
	}
	u, _ := url.Parse(c.keysURL) // valid, see parseDocument
	return p.keys.get(ctx, c.keysURL, strings.ToLower(u.Hostname()), address, maxAge)
}

// isSigned reports whether one of the keys of a client has signed the assertion.
func (a *assertion) isSigned(c *client, keys []jose.JSONWebKey) bool {
	header := &a.signed.Signatures[0].Protected
	if c.algorithm != "" && c.algorithm != header.Algorithm {
		return false
	}
	for i := range keys {
		k := &keys[i]
		if header.KeyID != "" && header.KeyID != k.KeyID || k.Algorithm != "" && k.Algorithm != header.Algorithm {
			continue
		}
		if _, err := a.signed.Verify(k.Key); err == nil { // which also compares the algorithm with the type of the key
			return true
		}
	}
	return false
}

// parseKeys returns the keys of a set that can verify signatures. It ignores others, as RFC 7517 recommends.
func parseKeys(_ string, text []byte) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(text, &set) != nil || len(set.Keys) > maxKeys {
		return nil, unusable("its keys are not a JSON Web Key Set of at most 16 keys and 64 KB")
	}
	var keys []jose.JSONWebKey
	for _, text := range set.Keys {
		var k jose.JSONWebKey
		if json.Unmarshal(text, &k) != nil || !k.IsPublic() || !k.Valid() || k.Use != "" && k.Use != "sig" {
			continue
		}
		if key, ok := k.Key.(*rsa.PublicKey); ok && key.N.BitLen() < 2048 { // RFC 7518, section 3.3
			continue
		}
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		return nil, unusable("none of its keys is a public key for signatures, with at least 2048 bits for RSA")
	}
	return keys, nil
}

// assertions are the ids of assertions that were used, until they expire.
type assertions struct {
	share *admission.Share

	mu    sync.Mutex
	until map[[sha256.Size]byte]usedAssertion
	swept time.Time
}

type usedAssertion struct {
	client admission.Caller
	until  time.Time
}

func newAssertions() *assertions {
	return &assertions{share: admission.NewShare(maxAssertions, maxOfClient), until: map[[sha256.Size]byte]usedAssertion{}}
}

// add adds the id of an assertion that is valid until a time. The error is that it was used before, or that there are too
// many.
func (a *assertions) add(client, id string, until time.Time) error {
	key := sha256.Sum256([]byte(client + "\n" + id)) // a URL has no line break
	used := usedAssertion{client: admission.PrincipalCaller("", client), until: until}
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := time.Now(); now.Sub(a.swept) >= time.Minute {
		a.swept = now
		for key, old := range a.until {
			if !now.Before(old.until) {
				delete(a.until, key)
				a.share.Give(old.client, 1)
			}
		}
	}
	if _, ok := a.until[key]; ok {
		return badAssertion("its jti was used before")
	}
	if a.share.Take(used.client, 1, admission.Within) != nil {
		return failure("temporarily_unavailable", "too many assertions of the client have not expired")
	}
	a.until[key] = used
	return nil
}
