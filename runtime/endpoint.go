package runtime

import "context"

// Endpoint answers messages that stand for themselves, those of revision 2026-07-28 and later, on
// a transport that has a stream for each. They need no [Session], and nothing is left of one
// when it has been answered. It is safe for concurrent use.
type Endpoint struct {
	*core
	closing context.Context
	slots   *slots // one is taken by each call that runs
}

// Endpoint returns an endpoint for any number of clients. When ctx ends its calls are
// cancelled, with cause [ErrShutdown].
func (s *Server) Endpoint(ctx context.Context) *Endpoint {
	c := s.core()
	return &Endpoint{core: c, closing: ctx, slots: newSlots(&c.limits)}
}

// Answer answers m through x, and returns when that is done: the caller's goroutine runs the
// tool. It waits while [Limits.Stateless] calls run, a minute at most. The end of ctx means that the client has
// gone; a call is then cancelled, with cause [ErrDisconnected].
//
// What m brings about ends with Answer, so a subscription is refused: it takes a Session.
func (e *Endpoint) Answer(ctx context.Context, m *Message, x Stateless) {
	s := &Session{core: e.core, origin: origin{ctx: ctx, shut: e.closing}, endpoint: e}
	s.take(m, &stream{session: s, exchange: x, stateless: x})
}

// run runs the call when there is a slot for it.
func (e *Endpoint) run(c *call) {
	c.session.cancel = c.end
	has, err := e.slots.enter(c)
	if err != nil {
		defer e.traffic.leave(c)
		if job := c.has().job; job != nil {
			job.untie()
		}
		c.fail(err)
		return
	}
	if c.limit() == nil {
		e.serve(c, has)
		return
	}
	// The answer may come before the tool returns, and the client is not to wait for that.
	c.own()
	late, done := make(chan struct{}), make(chan struct{})
	c.rarities().late = late
	go func() {
		defer close(done)
		e.serve(c, has)
	}()
	select {
	case <-done:
	case <-late:
	}
}

// serve runs the call, and gives back the slot it has.
func (e *Endpoint) serve(c *call, has bool) {
	defer e.traffic.leave(c)
	if has {
		defer e.slots.leave(c.access.Caller())
	}
	done := false
	defer func() {
		if !done {
			c.fail(errGoexit)
		}
	}()
	c.run()
	done = true
}
