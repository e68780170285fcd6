package streamhttp

import (
	"context"
	"errors"
	"time"
)

// TokenVerifier verifies an access token: by its signature, or by asking the authorization
// server. It is called for every request, from several goroutines at once, and should cache
// expensive results. Its context ends after 10 seconds, or when the client disconnects. It must
// not log the token.
//
// The token is what the client sent, of up to 8 KiB. For an invalid token, whatever the
// reason, return [ErrInvalidToken], or an error that wraps it; the client learns only that the token
// is invalid. Any other error means that the token could not be verified: it is logged, and
// the client is told to try again later.
//
// The handler checks Expiry and Audience of the result against the clock and the [ProtectedResource], so the verifier only
// has to report them. A result without a Principal and without an error is a mistake of the verifier: it is logged at level
// error, and the request is answered with status 500. A result without an Audience is refused with status 401, as one for
// another resource is; the log says why at level debug.
type TokenVerifier func(ctx context.Context, token string) (Token, error)

// ErrInvalidToken is the error of a [TokenVerifier] for a token that is malformed, forged, revoked or
// unknown.
var ErrInvalidToken = errors.New("invalid token")

// Token is the content of a verified access token. It must not be modified after it was returned.
type Token struct {
	// Principal identifies whom the token was issued to: the user, or the client if it acts for
	// itself. It must not be empty (see [TokenVerifier]), and must be unique; with more than one issuer it
	// has to include the issuer. Sessions belong to it, and tools get it in
	// mcptool.CallInfo.
	Principal string
	// Scopes are all granted scopes. If one includes others, the verifier has to add them:
	// no scope implies another here.
	Scopes []string
	// Expiry is when the token expires. Open streams end then. The zero value means never.
	Expiry time.Time
	// Audience is the resources that the token was issued for, as URIs (RFC 8707). One of them
	// must be the [ProtectedResource]; case of the host, a default port and a trailing
	// slash make no difference. A verifier that knows by other means
	// that a token was issued for this server only returns the URI of the resource.
	Audience []string
}
