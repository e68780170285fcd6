package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/runtime/internal/limit"
)

// Endpoint answers messages that stand for themselves, those of revision 2026-07-28 and later, on
// a transport that has a stream for each. They need no [Session], and nothing is left of one
// when it has been answered. It is safe for concurrent use.
type Endpoint struct {
	*core
	closing context.Context
	running *limit.CallerSemaphore // acquired by each call that runs
}

// Endpoint returns an endpoint for any number of clients. When ctx ends its calls are
// cancelled, with cause [ErrShutdown].
func (s *Server) Endpoint(ctx context.Context) *Endpoint {
	c := s.core()
	return &Endpoint{core: c, closing: ctx, running: limit.NewCallerSemaphore(c.limits.MaxStatelessCalls, c.limits.PerCaller.MaxStatelessCalls)}
}

// Answer answers m through x, and returns when that is done: the caller's goroutine runs the
// tool. It waits while [Limits.MaxStatelessCalls] calls run, a minute at most. The end of ctx means that the client has
// gone; a call is then cancelled, with cause [ErrDisconnected].
//
// What m brings about ends with Answer, so a subscription is refused: it takes a Session.
func (e *Endpoint) Answer(ctx context.Context, m *Message, x Exchange) {
	s := &Session{core: e.core, origin: origin{ctx: ctx, shut: e.closing}, endpoint: e}
	m.Stateless = true
	s.take(m, &stream{session: s, exchange: x})
}

// run runs the call when the semaphore is acquired. A call that has ended before finds out by itself.
func (e *Endpoint) run(c *call) {
	c.session.cancel = c.end
	err := e.running.Acquire(c, c.access.Caller(), maxWait)
	if errors.Is(err, limit.ErrTimeout) {
		defer e.inFlight.leave(c)
		if run := c.extras().taskRun(); run != nil {
			run.untie()
		}
		c.fail(e.busy())
		return
	}
	if c.timeout() == nil {
		e.serve(c, err == nil)
		return
	}
	// The answer may come before the tool returns, and the client is not to wait for that.
	c.own()
	late, done := make(chan struct{}), make(chan struct{})
	c.needExtras().late = late
	go func() {
		defer close(done)
		e.serve(c, err == nil)
	}()
	select {
	case <-done:
	case <-late:
	}
}

// busy refuses a call that has waited too long.
func (e *Endpoint) busy() error {
	size, each := e.running.Limits()
	return &busyError{fmt.Sprintf("the server is busy: it runs %d calls at once, %d of one caller, and this one has waited for %v; call again later", size, each, maxWait)}
}

// serve runs the call, and releases the semaphore if it is acquired.
func (e *Endpoint) serve(c *call, acquired bool) {
	defer e.inFlight.leave(c)
	if acquired {
		defer e.running.Release(c.access.Caller())
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
