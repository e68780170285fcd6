package runtime

import "github.com/mcptool-go/mcptool/internal/envelope"

// QuickCall is a call that [Session.Accept] has left to its caller.
type QuickCall struct{ call *call }

// Accept is like [Session.Serve], but leaves a call that is expected to be quick, because the last ones of its tool were,
// to its caller, which must call [QuickCall.Run] once. So no other goroutine has to be woken up. It returns nil for any other
// message, and for a call that has a timeout or is audited. When it has returned, m can be used again.
//
// The call may take long after all. Then the transport has to see to it that the client gets what the call sends through x
// in the meantime, and that the end of the request does not wait for the tool. See also the method Early of [Exchange].
func (s *Session) Accept(m *Message, x Exchange) *QuickCall {
	one := &struct { // allocated together
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
// returned and [Exchange.End] has been called. If the tool ends the goroutine with runtime.Goexit, the call is answered with
// an error before that.
func (q *QuickCall) Run() {
	s := q.call.session
	if next := s.workOn(q.call); next != nil {
		go s.work(next)
	}
}

// Overran notes that the call takes long: the next ones of its tool are not left to the transport. Any
// goroutine may call it, also after Run has returned.
func (q *QuickCall) Overran() { q.call.pace.took(quick) }

// mayTake reports whether the goroutine that has passed the message on may run c: not if the answer may have to come before
// the tool returns, or if it would have to wait for the handler of the audit record.
func (q *QuickCall) mayTake(c *call) bool { return c.timeout() == nil && c.audited.Load() == 0 }

// take takes c, which is queued instead if no more calls may run now.
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

// early tells the transport that the call is about to be answered before its tool has returned, if the goroutine that
// runs it is the transport's.
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

// runs reports whether the goroutine that has passed the message on runs c.
func (t *stream) runs(c *call) bool {
	if t.session.endpoint != nil {
		return c.timeout() == nil
	}
	return t.quick != nil && t.quick.call == c
}
