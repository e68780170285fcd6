package streamhttp

import (
	"context"
	"net/http"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

// postModern serves a message of revision 2026-07-28 or later. Each stands for itself, and
// this goroutine runs what it calls.
func (h *handler) postModern(w http.ResponseWriter, r *http.Request, m *runtime.Message) {
	switch m.Kind() {
	case runtime.Notification:
		w.WriteHeader(http.StatusAccepted) // there is none that means anything to us here
		return
	case runtime.Response:
		refuse(w, http.StatusBadRequest, nil, codeInvalidRequest, "the server asked nothing that this could answer")
		return
	case runtime.Request:
		if _, named := m.ProtocolVersion(); !named && (m.Method() == methodInitialize || r.Header.Get(headerVersion) != "") {
			break // the engine says so
		}
		if err := checkHeading(r.Header, m); err != nil {
			refuse(w, http.StatusBadRequest, m.ID(), codeHeaderMismatch, err.Error())
			return
		}
	default: // the engine says what is wrong
	}
	accept := accepted(r.Header)
	if m.Method() == methodListen && !accept.events {
		refuse(w, http.StatusNotAcceptable, m.ID(), codeInvalidRequest, "a subscription is answered with "+typeEvents+", which Accept does not allow")
		return
	}
	if m.Method() == methodListen {
		h.listen(w, r, m, accept)
		return
	}
	p := h.newReply(w, r, m, accept)
	answered := false
	defer func() {
		if !answered {
			p.flush() // a tool has ended this goroutine, which would have seen to it
		}
	}()
	h.endpoint.Answer(r.Context(), m, p)
	answered = true
}

// listen serves a subscription, which lasts as long as its stream: a session of the engine is
// opened for it and closed after it.
func (h *handler) listen(w http.ResponseWriter, r *http.Request, m *runtime.Message, accept acceptable) {
	leave, ok := h.enterStream(w, m.Access, m.ID())
	if !ok {
		return
	}
	defer leave()
	p := h.newReply(w, r, m, accept)
	p.done = make(chan struct{})
	ctx, stop := untilGone(r.Context())
	defer stop()
	session := h.srv.Open(ctx, p)
	session.Serve(m, p)
	m.Memory.Release() // the message is not needed as long as the subscription lasts
	h.attend(ctx, p, p.who.lapse(m))
	// Calls that had to be cancelled are in the log.
	_ = session.Close(h.closing) //nolint:contextcheck // calls may finish after a shutdown, not after the request: that is the session's own context
	p.abandon()
}

// untilGone returns a context that ends, with [runtime.ErrDisconnected], when the client goes:
// that is how a subscription is ended.
func untilGone(request context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(request))
	release := context.AfterFunc(request, func() { cancel(runtime.ErrDisconnected) })
	return ctx, func() {
		release()
		cancel(nil)
	}
}

// attend waits until the subscription has ended, the client goes, its access lapses or the handler is shut down.
func (h *handler) attend(ctx context.Context, p *reply, lapse <-chan time.Time) {
	select {
	case <-p.done:
	case <-ctx.Done():
	case <-h.config.until.Done():
	case <-lapse:
	}
}
