package streamhttp

import (
	"context"
	"errors"
	"time"
)

// TokenVerifier finds out what an access token stands for: by its signature, or by asking whoever
// issued it. It is called for every request, from many goroutines at once, and should remember
// what is expensive to find out. Its context ends after 10 seconds, or when the client goes. It must
// not put the token into a log.
//
// The token is whatever the client sent as one, of up to 8 KiB. A token that is no good, for
// whatever reason, is [ErrInvalidToken], or an error that wraps it; the client is told
// that and no more. Any other error means that it could not be found out: it is logged, and
// the client is told to come again.
//
// What the verifier returns is still held against the clock and the [ProtectedResource], so expiry
// and audience are not its to check, only to tell.
type TokenVerifier func(ctx context.Context, token string) (Token, error)

// ErrInvalidToken is what a [TokenVerifier] returns of a token that is malformed, forged, revoked or
// unknown.
var ErrInvalidToken = errors.New("invalid token")

// Token is what an access token stands for. It must not change once it was returned.
type Token struct {
	// Principal identifies who the token was issued to: the user, or the client if it acts for
	// itself. It is never empty, and never the same for two. With more than one issuer it
	// has to name the issuer, too. Sessions belong to it, and tools find it in
	// mcptool.CallInfo.
	Principal string
	// Scopes are all that was granted. If a scope includes others, the verifier adds them:
	// nothing is implied here.
	Scopes []string
	// Expiry is when the token ends. Streams that stay open end with it. The zero value is never.
	Expiry time.Time
	// Audience is whom the token was issued for: URIs of resources (RFC 8707), of which one
	// must be that of the [ProtectedResource]. Case of the host, a default port and a slash
	// at the end make no difference. A verifier that knows by other means
	// that a token was issued for this server, and no other, returns that URI.
	Audience []string
}
