package runtime

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/private"
)

// callContext is the context of a call, without the methods of a host of package mcptool. It derives a context of the standard
// library when something waits for its end, when a timeout starts, or when it ends with a cause. Most calls end before
// that.
type callContext struct {
	live  atomic.Pointer[liveContext] // nil until it is needed
	ended atomic.Bool                 // the call has ended without a cause before its origin
}

// liveContext is a context that ends with a call.
type liveContext struct {
	context.Context
	stop func(cause error)

	// Of the tool, while it runs with a timeout:
	timeout *private.TimeoutError // the cause after the deadline; nil: no timeout
	begun   time.Time
	detach  func() bool // of the func that answers the call at the deadline
}

// parents are the contexts from which the context of a call derives.
type parents struct {
	ctx  context.Context // of the connection, or of the message alone
	shut context.Context // of the endpoint; nil for a connection
}

// derived returns a context of the standard library that ends when the call does. Child contexts derive from it, and
// [context.Cause] finds the cause in it.
func (c *call) derived() *liveContext {
	if l := c.live.Load(); l != nil {
		return l
	}
	l := c.parents().derive(c.ended.Load())
	if !c.live.CompareAndSwap(nil, l) {
		l.stop(nil)
		return c.live.Load()
	}
	if c.ended.Load() { // end may not have seen l
		l.stop(nil)
	}
	return l
}

// derive returns a context that ends with p. If the call has ended, p may end later, with a cause that does not count.
func (p *parents) derive(ended bool) *liveContext {
	if p.shut == nil && !ended {
		ctx, stop := context.WithCancelCause(p.ctx)
		return &liveContext{Context: ctx, stop: stop}
	}
	ctx, stop := context.WithCancelCause(context.WithoutCancel(p.ctx))
	if ended {
		return &liveContext{Context: ctx, stop: stop}
	}
	detach := p.afterEnd(stop)
	return &liveContext{Context: ctx, stop: func(cause error) {
		stop(cause)
		detach()
	}}
}

// afterEnd calls end with the cause, once one of the parents has ended. Detach prevents that, and reports whether it
// was in time.
func (p *parents) afterEnd(end func(cause error)) (detach func() bool) {
	if p.shut == nil {
		if p.ctx.Err() != nil {
			end(context.Cause(p.ctx))
		}
		return context.AfterFunc(p.ctx, func() { end(context.Cause(p.ctx)) })
	}
	endWith := func(ctx context.Context, cause error) (detach func() bool) {
		if ctx.Err() != nil {
			end(cause)
		}
		return context.AfterFunc(ctx, func() { end(cause) })
	}
	gone, shut := endWith(p.ctx, ErrDisconnected), endWith(p.shut, ErrShutdown)
	return func() bool {
		inTime := gone()
		return shut() && inTime
	}
}

// err returns the Err of the context that has ended; nil if none has.
func (p *parents) err() error {
	if err := p.ctx.Err(); err != nil || p.shut == nil {
		return err
	}
	return p.shut.Err()
}

// parents returns the contexts from which the context of the call derives.
func (c *call) parents() *parents {
	if x := c.extras(); x.parents != nil {
		return x.parents
	}
	return &c.from.parents
}

// end ends the context with a cause; only the first one counts.
func (c *call) end(cause error) {
	if cause != nil {
		c.derived().stop(cause)
		return
	}
	if c.parents().err() == nil {
		c.ended.Store(true)
	}
	if l := c.live.Load(); l != nil {
		l.stop(nil)
	}
}

// beginTool starts the timeout, which is also the cause when it ends the context. Then the call is answered. The caller
// must call endTool when the tool has returned.
func (c *call) beginTool() {
	timeout, whole := c.timeout(), c.derived()
	bounded, cancel := context.WithTimeoutCause(whole, timeout.Limit, timeout)
	l := &liveContext{Context: bounded, timeout: timeout, begun: time.Now()}
	l.stop = func(cause error) {
		whole.stop(cause)
		cancel()
	}
	l.detach = context.AfterFunc(bounded, func() {
		if l.timedOut() {
			c.outOfTime()
		}
	})
	c.live.Store(l)
}

// endTool records that the tool has returned, and reports whether that was too late. It does not rely on the timer
// alone, since after a suspension of the machine the tool and the timer continue at the same time.
func (c *callContext) endTool() (isLate bool) {
	l := c.live.Load()
	l.detach()
	if time.Since(l.begun) >= l.timeout.Limit {
		l.stop(l.timeout)
	}
	return l.timedOut()
}

// timedOut returns the timeout that has ended the context; nil if none has.
func (c *callContext) timedOut() *private.TimeoutError {
	if l := c.live.Load(); l != nil && l.timedOut() {
		return l.timeout
	}
	return nil
}

// timedOut reports whether the timeout has ended the context.
func (l *liveContext) timedOut() bool {
	return l.timeout != nil && errors.Is(context.Cause(l), l.timeout)
}

// Deadline implements [context.Context].
func (c *call) Deadline() (time.Time, bool) {
	earliest, ok := c.parents().ctx.Deadline()
	if l := c.live.Load(); l != nil {
		if at, bounded := l.Deadline(); bounded && (!ok || at.Before(earliest)) {
			return at, true
		}
	}
	return earliest, ok
}

// Done implements [context.Context].
func (c *call) Done() <-chan struct{} { return c.derived().Done() }

// Err implements [context.Context].
func (c *call) Err() error {
	if l := c.live.Load(); l != nil {
		return l.Err()
	}
	if c.ended.Load() {
		return context.Canceled
	}
	return c.parents().err()
}

// Value implements [context.Context].
func (c *call) Value(key any) any {
	switch key {
	case callctx.Key{}:
		return (*callServer)(c)
	default:
		if op := c.op.Load(); op != nil {
			// WithoutCancel, because package context finds the cause of a cancellation with Value, and op.ctx ends
			// with the connection or the HTTP request.
			if value := context.WithoutCancel(op.ctx).Value(key); value != nil {
				return value
			}
		}
		if values := c.extras().values; values != nil {
			if value := values.Value(key); value != nil {
				return value
			}
		}
		return c.derived().Value(key)
	}
}
