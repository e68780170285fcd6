package streamhttp

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

// caller is the sender of a request.
type caller struct {
	access     *runtime.Access
	protection *Protection // that has verified the access token; nil without one
	expiry     time.Time   // of the access token; zero: never
}

type accessKey struct{}

// WithAccess returns a context for a request whose caller the program itself has authenticated, for example by a client
// certificate, or by headers of an authenticating proxy. Set it in the request before the handler serves that. As with
// [Protect], which takes precedence, a tool with scopes is served only to callers that hold them, and a session can be
// used only by its principal. Limits per caller ([runtime.CallerLimits], [SessionsPerCaller], [StreamsPerCaller]) apply
// to the principal, or if there is none to the address of the client. The default address is the peer's; behind a proxy
// that is the address of the proxy, so set Access.Address to that of the client.
func WithAccess(ctx context.Context, access runtime.Access) context.Context {
	return context.WithValue(ctx, accessKey{}, &access)
}

// authenticate finds out who sends the request: by its access token with [Protect], and otherwise as [WithAccess] says,
// or by its address.
func (h *handler) authenticate(q *request) *httpError {
	if h.config.protection != nil {
		verified, err := h.config.protection.verifyRequest(q.r)
		if err != nil {
			h.logAuthError(q.r, err)
			return h.config.protection.httpError(err)
		}
		q.caller = verified
		return nil
	}
	access, ok := q.r.Context().Value(accessKey{}).(*runtime.Access)
	if !ok {
		h.warnUnauthenticated()
		q.caller.access = h.peers.access(q.r.RemoteAddr)
		return nil
	}
	if access.Principal == "" && !access.Address.IsValid() {
		access = &runtime.Access{Scopes: access.Scopes, Address: addressOf(q.r.RemoteAddr)}
	}
	q.caller.access = access
	return nil
}

// logAuthError logs errors that the verifier has explained: at level error if it has failed, and at level debug if it
// has refused the token. It logs none if the client has disconnected, which cancels the verifier.
func (h *handler) logAuthError(r *http.Request, err *authError) {
	level := slog.LevelDebug
	if err.status >= http.StatusInternalServerError {
		level = slog.LevelError
	}
	if err.cause != "" && r.Context().Err() == nil {
		h.log.LogAttrs(r.Context(), level, "access token refused", slog.Int("status", err.status), slog.String("reason", err.cause))
	}
}

// untilExpiry returns a context that ends with the request or with its access token, for event streams: a stream
// does not stay open for a client that could not open it any more.
func (q *request) untilExpiry() (context.Context, context.CancelFunc) {
	if q.caller.expiry.IsZero() {
		return q.r.Context(), func() {}
	}
	return context.WithDeadline(q.r.Context(), q.caller.expiry)
}
