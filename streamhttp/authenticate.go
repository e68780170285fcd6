package streamhttp

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/runtime"
)

type accessKey struct{}

// WithAccess returns a context for a request whose caller the program itself has authenticated, for example by a client
// certificate, or by headers of an authenticating proxy. Set it in the request before calling the handler. As with
// [Protect], which takes precedence, a tool with scopes is served only to callers that hold them, and a session can be
// used only by its principal, in its tenant. Limits per caller ([runtime.CallerLimits], [Sessions], [Streams]) apply
// to the principal, or if there is none to the address of the client. The default is the address of the peer; behind a
// proxy, which is then the peer, set Access.Address to the address of the client.
func WithAccess(ctx context.Context, access runtime.Access) context.Context {
	return context.WithValue(ctx, accessKey{}, &access)
}

// ClientAddress returns the address of the client whose request a [TokenVerifier] is called for, so that the verifier can
// limit what each address causes. ctx is the context of the verifier. It is the Address of [WithAccess], which [Protect]
// does not use for anything else, or by default the address of the peer. The zero value means that it is unknown.
func ClientAddress(ctx context.Context) netip.Addr {
	if access, ok := ctx.Value(accessKey{}).(*runtime.Access); ok && access.Address.IsValid() {
		return access.Address
	}
	text, _ := ctx.Value(peerKey{}).(string)
	peer, _ := netip.ParseAddrPort(text)
	return peer.Addr()
}

// authenticator determines the callers of requests, and logs why it cannot.
type authenticator struct {
	*shared

	unauthenticated atomic.Bool        // warnUnauthenticated was called
	unverified      admission.Repeated // see logError: status 503
	nameless        admission.Repeated // and 500
}

// authenticate determines the caller: by the access token with [Protect], and otherwise by the access of [WithAccess],
// or by the address.
func (a *authenticator) authenticate(q *request) (err *httpError) {
	if a.config.protection != nil {
		if q.caller, err = a.config.protection.verifyRequest(q.r); err != nil {
			a.logError(q.r, err)
		}
		return err
	}
	access, ok := q.r.Context().Value(accessKey{}).(*runtime.Access)
	if !ok {
		if !a.unauthenticated.Swap(true) { // a sync.Once would make others wait for the log handler
			a.warnUnauthenticated()
		}
		access = &anonymous
	}
	if access.Principal == "" && !access.Address.IsValid() {
		peer, _ := netip.ParseAddrPort(q.r.RemoteAddr) // the address is invalid if this is not a network connection
		addressed := *access
		addressed.Address = peer.Addr()
		access = &addressed
	}
	q.caller.access = access
	return nil
}

// anonymous is the access of callers that are not authenticated, without their address.
var anonymous runtime.Access

// logError logs authentication errors with a cause: at level error if the verifier has failed, but at most once a
// minute, because each request can cause that without a valid token, and otherwise at level debug. It logs nothing if
// the client has disconnected, which cancels the verifier.
func (a *authenticator) logError(r *http.Request, err *httpError) {
	if err.cause == "" || r.Context().Err() != nil {
		return
	}
	level, suppressed := slog.LevelDebug, 0
	switch {
	case err.status < http.StatusInternalServerError || err.logged:
	case err.status == http.StatusInternalServerError:
		level, suppressed = a.nameless.Level()
	default:
		level, suppressed = a.unverified.Level()
	}
	a.log.LogAttrs(r.Context(), level, "access token refused",
		slog.Int("status", err.status), slog.String("reason", err.cause), slog.Int("suppressed", suppressed))
}

// maxHidden is the maximum number of names in a warning.
const maxHidden = 10

// warnUnauthenticated logs, at the first request of an unauthenticated caller, which tools are hidden from such
// callers. Before that it is not known whether the program uses [WithAccess].
func (a *authenticator) warnUnauthenticated() {
	var hidden []string
	for t := range transport.Registry(a.srv).Tools() {
		if info := t.Info(); len(info.Scopes) > 0 {
			hidden = append(hidden, info.Name)
		}
	}
	if len(hidden) > 0 {
		a.log.Warn("callers are not authenticated and do not see the tools with scopes: pass the option of streamhttp.Protect or StaticTokens to the handler, "+
			"authenticate callers in middleware with streamhttp.WithAccess, or remove the scopes",
			"count", len(hidden), "hidden", strings.Join(hidden[:min(len(hidden), maxHidden)], ", "))
	}
}
