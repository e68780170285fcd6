package streamhttp

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

const methodListen = "subscriptions/listen"

// listen serves a subscription, which lasts as long as its stream. Each subscription has its own session of the engine.
// With [NoListening] the engine ends it at once.
func (h *handler) listen(q *request) *httpError {
	m := q.message
	if !q.accept.events {
		return newError(http.StatusNotAcceptable, "a subscription is answered with "+typeEvents+", which Accept does not allow").about(m.ID())
	}
	if m.NoListening {
		return h.answer(q)
	}
	leave, failure := h.enterStream(q)
	if failure != nil {
		return failure
	}
	defer leave()
	p := h.newReply(q)
	p.id = bytes.Clone(p.id)
	p.done = make(chan struct{})
	ctx, stop := untilDisconnect(q.r.Context())
	defer stop()
	session := h.srv.Open(ctx, p)
	m.Stateless = true
	session.Serve(m, p)
	m.Memory.Release() // the subscription no longer needs the message
	q.message = nil
	var expired <-chan time.Time
	if expiry := q.caller.expiry; !expiry.IsZero() {
		expired = time.After(time.Until(expiry))
	}
	select {
	case <-p.done:
	case <-ctx.Done():
	case <-h.config.until.Done():
	case <-expired:
	}
	// Calls may finish until the grace period of a shutdown ends. Cancelled ones are logged by the engine.
	_ = session.Close(h.closing)
	p.abandon()
	return nil
}

// untilDisconnect returns a context that ends, with [runtime.ErrDisconnected], when the client disconnects, which is
// how a client ends a subscription.
func untilDisconnect(request context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(request))
	release := context.AfterFunc(request, func() { cancel(runtime.ErrDisconnected) })
	return ctx, func() {
		release()
		cancel(nil)
	}
}
