package streamhttp

import (
	"context"
	"net/http"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

// postModern serves a message of revision 2026-07-28 or later. Each stands for itself:
// a session of the engine is opened for it and closed after it.
func (h *handler) postModern(w http.ResponseWriter, r *http.Request, m *runtime.Message) {
	switch m.Kind() {
	case runtime.Notification:
		w.WriteHeader(http.StatusAccepted) // there is none that means anything to us here
		return
	case runtime.Response:
		refuse(w, http.StatusBadRequest, nil, codeInvalidRequest, "the server asked nothing that this could answer")
		return
	case runtime.Request:
		if _, named := m.ProtocolVersion(); !named {
			break // the engine says so
		}
		if err := checkHeading(r.Header, m); err != nil {
			refuse(w, http.StatusBadRequest, m.ID(), codeHeaderMismatch, err.Error())
			return
		}
	default: // the engine says what is wrong
	}
	accept := accepted(r.Header)
	if m.Method() == "subscriptions/listen" && !accept.events {
		refuse(w, http.StatusNotAcceptable, m.ID(), codeInvalidRequest, "a subscription is answered with "+typeEvents+", which Accept does not allow")
		return
	}
	p := newReply(w, r, accept)
	ctx, stop := untilGone(r.Context())
	defer stop()
	session := h.srv.Open(ctx, p)
	session.Serve(m, p)
	h.attend(ctx, p)
	// Calls that had to be cancelled are in the log.
	_ = session.Close(h.closing) //nolint:contextcheck // calls may finish after a shutdown, not after the request: that is the session's own context
	p.abandon()
}

// untilGone returns a context that ends, with [runtime.ErrDisconnected], when the client goes:
// that is how calls are cancelled.
func untilGone(request context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(request))
	release := context.AfterFunc(request, func() { cancel(runtime.ErrDisconnected) })
	return ctx, func() {
		release()
		cancel(nil)
	}
}

// attend waits until the answer is complete, the client goes or the handler is shut down.
func (h *handler) attend(ctx context.Context, p *reply) {
	var tick <-chan time.Time
	if h.config.keepAlive > 0 {
		ticker := time.NewTicker(h.config.keepAlive)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case <-p.done:
			return
		case <-ctx.Done():
			return
		case <-h.config.until.Done():
			return
		case <-tick:
			p.keepAlive()
		}
	}
}
