package streamhttp

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

// visitor is who sends a request.
type visitor struct {
	access *runtime.Access
	guard  *Protection // what let them in; nil if nothing had to
	expiry time.Time   // zero: never
}

// nobody is a visitor of a handler without protection.
var nobody = &visitor{access: &runtime.Access{}}

type visitorKey struct{}

// WithAccess returns the context of a request whose sender the program itself has verified, before
// the handler: by a certificate of the client, by what an authenticating proxy says. Tools that
// need scopes are served to who holds them, and sessions belong to the principal, as with [Protect],
// which overrules it. Callers without a principal are told apart by their address where limits are shared out
// ([runtime.CallerLimits], [SessionsPerCaller], [StreamsPerCaller]); behind a proxy all requests come from one address,
// unless Access.Address is set to that of the client.
func WithAccess(ctx context.Context, access runtime.Access) context.Context {
	return context.WithValue(ctx, visitorKey{}, &visitor{access: &access})
}

// visitorOf returns who sends the request.
func visitorOf(r *http.Request) *visitor {
	if v, ok := r.Context().Value(visitorKey{}).(*visitor); ok {
		return v
	}
	return nobody
}

// accessOf returns who sends the request, with the address it comes from if nothing else tells callers apart.
func accessOf(r *http.Request) *runtime.Access {
	access := visitorOf(r).access
	if access.Principal != "" || access.Address.IsValid() {
		return access
	}
	peer, _ := netip.ParseAddrPort(r.RemoteAddr) // a connection that is none of the network has no address
	return &runtime.Access{Scopes: access.Scopes, Address: peer.Addr()}
}

// admit lets a visitor in: it returns the request with what is known of them, and what to do after
// it. If they are not let in, that is answered.
func (h *handler) admit(w http.ResponseWriter, r *http.Request) (_ *http.Request, done func(), ok bool) {
	guard := h.config.guard
	if guard == nil {
		return r, func() {}, true
	}
	who, problem := guard.admit(r)
	if problem != nil {
		h.logDenial(r, problem)
		guard.deny(w, problem)
		return nil, nil, false
	}
	ctx := context.WithValue(r.Context(), visitorKey{}, who)
	done = func() {}
	if r.Method == http.MethodGet && !who.expiry.IsZero() {
		// A stream is not kept open for who could not open it any more. A call may finish.
		ctx, done = context.WithDeadline(ctx, who.expiry)
	}
	return r.WithContext(ctx), done, true
}

// logDenial tells the log of what is not the client's fault, or may interest who looks for one. A
// client that has gone takes the verifier with it, which is neither.
func (h *handler) logDenial(r *http.Request, d *denial) {
	level := slog.LevelDebug
	if d.status >= http.StatusInternalServerError {
		level = slog.LevelError
	}
	if d.cause != "" && r.Context().Err() == nil {
		h.log.LogAttrs(r.Context(), level, "access token refused", slog.Int("status", d.status), slog.String("reason", d.cause))
	}
}

// lapse returns when what answers m has to end by itself, nil for never. A subscription is like
// a stream that GET opens.
func (v *visitor) lapse(m *runtime.Message) <-chan time.Time {
	if v.expiry.IsZero() || m.Method() != methodListen {
		return nil
	}
	return time.After(time.Until(v.expiry))
}

// read takes a message apart and notes who sent it, and what is reserved for it.
func (h *handler) read(body []byte, access *runtime.Access, memory *runtime.Reservation) *runtime.Message {
	m := h.srv.Read(body)
	m.Access, m.Memory, m.ModernOnly = access, memory, !h.hasSessions()
	return m
}
