package streamhttp

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/internal/scope"
)

// TokenVerifier verifies an access token, by its signature or by a request to the authorization server. It is called
// for every request, concurrently, and should cache expensive results. Its context ends after 10 seconds, or when the
// client disconnects. It must not log the token. [ClientAddress] returns the address of the client.
//
// The token is at most 8 KiB long. If it is invalid, whatever the reason, return [ErrInvalidToken] or an error that
// wraps it: the request gets status 401, and the answer gives no other reason than an invalid token. Any other error,
// and a panic, means that the token could not be verified: the request gets status 503 with a Retry-After header of
// 5 seconds, or of the time in an [UnavailableError]. For a valid token that grants too little, return its scopes: the
// handler compares them with those that a request needs, and answers with status 403.
//
// The handler compares Expiry with the current time and Audience with the [ProtectedResource], so the verifier need not
// check them. A Token without a Principal, with a nil error, is a mistake of the verifier, and the request gets status
// 500. A Token without an Audience gets status 401, like one for another resource.
//
// The log has the reason of each of these errors: for 500 and 503 at level error, but at most once a minute, because
// clients without a valid token can cause them, and otherwise at level debug.
type TokenVerifier func(ctx context.Context, token string) (Token, error)

// ErrInvalidToken is the error that a [TokenVerifier] returns for a token that is malformed, forged, revoked or
// unknown.
var ErrInvalidToken = errors.New("invalid token")

// UnavailableError is the error that a [TokenVerifier] returns if it cannot verify a token at present and knows when the
// client should try again. Other errors have the same effect as one without RetryAfter. If it wraps [ErrInvalidToken],
// the token is invalid.
type UnavailableError struct {
	// RetryAfter is sent in the Retry-After header, rounded up to seconds. The default, for zero and less, is 5 seconds.
	RetryAfter time.Duration
	// Err is the reason, which is logged and not sent. It may be nil.
	Err error
	// Logged means that the verifier itself logs when it becomes unavailable. The handler then logs Err at level debug
	// only. The default, false, logs it at level error, see [TokenVerifier].
	Logged bool
}

func (e *UnavailableError) Error() string {
	return fmt.Sprint("the token cannot be verified now: ", e.Err)
}
func (e *UnavailableError) Unwrap() error { return e.Err }

// Token is the content of a verified access token. A [TokenVerifier] must not modify it after it has returned it.
type Token struct {
	// Tenant is the organization that the owner of the token acts for in this token; "", the default, if there is none.
	// See [runtime.Access]: a principal in two tenants is two callers. Tools get it in mcptool.CallInfo.
	Tenant string
	// Principal identifies the owner of the token: the user, or the client if it acts for itself. It must not be empty
	// (see [TokenVerifier]), and must be unique: if there are several issuers, include the issuer. A session can be
	// used only by the principal that began it, in its tenant. Tools get the principal in mcptool.CallInfo.
	Principal string
	// Scopes are all granted scopes. If a scope includes others, the verifier has to add these: the handler does not
	// support such rules.
	Scopes []string
	// Expiry is the time when the token expires, and when event streams that were opened with it end. The zero value
	// means never.
	Expiry time.Time
	// Audience lists the URIs of the resources that the token was issued for (RFC 8707). One of them must be the URI of
	// the [ProtectedResource]; the case of the host, a default port and a trailing slash make no difference. If the
	// verifier knows in another way that the token was issued for this server only, it returns the URI of the resource.
	Audience []string
	// Claims is a JSON object with more data about the owner of the token, such as a department; nil if there is none.
	// Tools get it in mcptool.CallInfo. It is neither logged nor sent to the client.
	Claims json.RawMessage
}

// StaticTokens makes a handler serve only requests with one of these access tokens, for development
// and small teams without an authorization server. Each has a Principal, and may have Scopes, Claims
// and an Expiry; its Audience is ignored. By default callers are not authenticated.
//
//	tokens := map[string]streamhttp.Token{os.Getenv("ADA_TOKEN"): {Principal: "ada"}}
//
// The rules of [Protect] apply, but without metadata: users have to configure the Authorization header
// of their clients. A token is valid until a restart. Use random tokens, such as the output of openssl
// rand -hex 32, and at most some hundreds, because each request is compared with the hashes of all of
// them, in constant time. Of StaticTokens and Protect the last one counts.
func StaticTokens(tokens map[string]Token) Option {
	var mistakes []error
	if len(tokens) == 0 {
		mistakes = append(mistakes, errors.New("StaticTokens: there are no tokens"))
	}
	hashes, known := [][sha256.Size]byte{}, []Token{}
	for _, text := range slices.Sorted(maps.Keys(tokens)) {
		token := tokens[text]
		switch {
		case token.Principal == "":
			mistakes = append(mistakes, errors.New("StaticTokens: a token has no Principal"))
		case text == "":
			mistakes = append(mistakes, fmt.Errorf("StaticTokens: the token of %q is empty", token.Principal))
		case !isToken(text):
			mistakes = append(mistakes, fmt.Errorf("StaticTokens: the token of %q has characters that tokens cannot have", token.Principal))
		}
		for _, name := range token.Scopes {
			if reason, fix := scope.Problem(name); reason != "" {
				mistakes = append(mistakes, fmt.Errorf("StaticTokens: the scope %q of %q %s; %s", name, token.Principal, reason, fix))
			}
		}
		var object map[string]json.RawMessage
		if token.Claims != nil && (json.Unmarshal(token.Claims, &object) != nil || object == nil) {
			mistakes = append(mistakes, fmt.Errorf("StaticTokens: the Claims of %q are not a JSON object", token.Principal))
		}
		hashes, known = append(hashes, sha256.Sum256([]byte(text))), append(known, token)
	}
	verify := func(_ context.Context, text string) (token Token, err error) {
		hash, err := sha256.Sum256([]byte(text)), ErrInvalidToken
		for i := range hashes { // always all of them
			if subtle.ConstantTimeCompare(hashes[i][:], hash[:]) == 1 {
				token, err = known[i], nil
			}
		}
		return token, err
	}
	return option(func(c *config) {
		c.protection, c.mistakes = &Protection{verify: verify}, append(c.mistakes, mistakes...)
	})
}
