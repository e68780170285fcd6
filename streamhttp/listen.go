package streamhttp

import "bytes"

const methodListen = "subscriptions/listen"

// listen serves a subscription, which lasts as long as its stream. Each subscription has its own session of the engine.
// With [NoListening] the engine ends it at once.
func (h *Handler) listen(q *request) *httpError {
	m := q.message
	if !q.accept.events {
		return q.accept.noEvents(m.ID())
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
	ctx, stop := q.untilExpiry()
	defer stop()
	session := transport.Open(q.r.Context(), h.srv, p)
	m.Stateless = true
	session.Serve(m, p)
	m.Memory.Add(-m.Memory.Size()) // the subscription no longer needs the message
	q.message = nil
	select {
	case <-p.done:
	case <-ctx.Done():
	case <-h.stopping.Done():
	}
	// Calls may finish until the context of Shutdown ends. Cancelled ones are logged by the engine.
	_ = session.Close(h.closing)
	p.abandon()
	return nil
}
