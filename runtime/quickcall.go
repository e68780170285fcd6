package runtime

import "github.com/mcptool-go/mcptool/internal/envelope"

// QuickCall is a call that [Session.Accept] has returned to its caller, which must run it.
type QuickCall struct{ call *call }

// Accept is like [Session.Serve], but returns a call that is expected to be quick, because the last calls of its tool
// were; the caller must call [QuickCall.Run] once. So no other goroutine must be woken up. For other messages, and for
// calls that have a timeout or are audited, it returns nil. When it has returned, m can be reused.
//
// The call may still take long. Then the transport must ensure that the client meanwhile gets the messages that the
// call sends through x, and that the end of the request does not wait for the tool. See also the method Early of
// [Exchange].
func (s *Session) Accept(m *Message, x Exchange) *QuickCall {
	one := &struct { // one allocation
		stream stream
		quick  QuickCall
	}{stream: stream{session: s, exchange: x}}
	one.stream.quick = &one.quick
	s.take(m, &one.stream)
	if one.quick.call == nil {
		return nil
	}
	return &one.quick
}

// Run runs the call in this goroutine and answers it, as [Session.Serve] would have done. It returns when the tool has
// returned and [Exchange.End] has been called. If the tool calls runtime.Goexit, the call is answered with an error
// before the goroutine ends.
func (q *QuickCall) Run() {
	s := q.call.session
	if next := s.workOn(q.call); next != nil {
		go s.work(next)
	}
}

// Overran records that the call takes long: the next calls of its tool are not returned by Accept. Any goroutine may
// call it, even after Run has returned.
func (q *QuickCall) Overran() { q.call.pace.took(quick) }

// mayTake reports whether the goroutine of the transport may run c. It may not if the answer may have to be sent before
// the tool returns, or would wait for the handler of the audit record.
func (q *QuickCall) mayTake(c *call) bool { return c.timeout() == nil && c.audited.Load() == 0 }

// take takes c for the transport, or queues it if no more calls may run now.
func (q *QuickCall) take(c *call) *wireError {
	s := c.session
	c.own()
	s.mu.Lock()
	if s.calls.running >= s.limits.MaxConcurrentCalls {
		s.mu.Unlock()
		return s.admitOwned(c)
	}
	defer s.mu.Unlock()
	if err := s.enroll(envelope.Key(c.id), c); err != nil {
		return err
	}
	s.calls.running++
	q.call = c
	return nil
}

// early notifies the transport, if its goroutine runs the call, that the call is about to be answered before its tool
// has returned.
func (c *call) early() {
	c.mu.Lock()
	t, ok := c.to.(*stream)
	c.mu.Unlock()
	if !ok || !t.runs(c) {
		return
	}
	if x, ok := t.exchange.(earlyAnswerer); ok {
		x.Early()
	}
}

// runs reports whether the goroutine of the transport runs c.
func (t *stream) runs(c *call) bool {
	if t.session.endpoint != nil {
		return c.timeout() == nil
	}
	return t.quick != nil && t.quick.call == c
}
