package runtime

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/private"
)

// callContext is the state of the context of a call. It derives a context of the standard
// library when something waits for its end, when a timeout starts, or when it ends with a cause. Most calls end before
// that.
type callContext struct {
	live atomic.Pointer[liveContext] // nil until it is needed
	// ended is set when the call ends without a cause, while its parents have not ended: their later end does not count.
	ended atomic.Bool
}

// liveContext is a context that ends with a call.
type liveContext struct {
	context.Context
	stop func(cause error)

	// Of the tool, while it runs with a timeout:
	clock  *toolClock  // nil: no timeout
	detach func() bool // of the func that answers the call when its time is up
}

// Err implements [context.Context]. The end of a parent reaches the context of a tool with a timeout a little later.
func (l *liveContext) Err() error {
	if err := l.Context.Err(); err != nil || l.clock == nil {
		return err
	}
	return l.clock.Err()
}

// parents are the contexts from which the context of a call derives.
type parents struct {
	ctx  context.Context // of the connection, or of the message alone
	shut context.Context // of the endpoint; nil for a connection
}

// derived returns a context of the standard library that ends when the call does. Child contexts derive from it, and
// [context.Cause] finds the cause in it.
func (c *call) derived() *liveContext {
	if l := c.context.live.Load(); l != nil {
		return l
	}
	l := c.parents().derive(c.context.ended.Load())
	if !c.context.live.CompareAndSwap(nil, l) {
		l.stop(nil)
		return c.context.live.Load()
	}
	if c.context.ended.Load() { // end may not have seen l
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
	if c.Err() == nil {
		c.context.ended.Store(true)
	}
	if l := c.context.live.Load(); l != nil {
		l.stop(nil)
	}
}

// timedOut returns the timeout that has ended the context; nil if none has.
func (c *callContext) timedOut() *private.TimeoutError {
	if l := c.live.Load(); l != nil && l.timedOut() {
		return l.clock.timeout
	}
	return nil
}

// endTool records that the tool has returned, and reports whether that was too late. It does not rely on the timer
// alone, since after a suspension of the machine the tool and the timer continue at the same time.
func (c *callContext) endTool() (isLate bool) {
	l := c.live.Load()
	l.detach()
	if l.clock.stop() {
		l.stop(l.clock.timeout)
	}
	return l.timedOut()
}

// timedOut reports whether the timeout has ended the context.
func (l *liveContext) timedOut() bool {
	return l.clock != nil && errors.Is(context.Cause(l), l.clock.timeout)
}

// Deadline implements [context.Context].
func (c *call) Deadline() (time.Time, bool) {
	earliest, ok := c.parents().ctx.Deadline()
	if l := c.context.live.Load(); l != nil {
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
	if l := c.context.live.Load(); l != nil {
		return l.Err()
	}
	if c.context.ended.Load() {
		return context.Canceled
	}
	p := c.parents()
	if err := p.ctx.Err(); err != nil || p.shut == nil {
		return err
	}
	return p.shut.Err()
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

// toolClock ends the context of a tool, whose parent it is, when its time is up. Unlike the timer of
// [context.WithTimeout] it can be stopped.
type toolClock struct {
	context.Context //nolint:containedctx // of the call

	timeout *private.TimeoutError
	expire  func() // ends the context of the tool

	mu      sync.Mutex
	used    time.Duration // before it was started
	started time.Time     // zero while it is stopped
	timer   *time.Timer
	over    context.Context //nolint:containedctx // has the error and the cause; nil until the time is up
}

// start starts the clock, unless it runs.
func (t *toolClock) start() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over == nil && t.started.IsZero() {
		t.started = time.Now()
		t.timer = time.AfterFunc(t.timeout.Limit-t.used, t.timeUp)
	}
}

// stop stops the clock, unless it is stopped, and reports whether the time is up.
func (t *toolClock) stop() (isUp bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.started.IsZero() {
		t.timer.Stop()
		t.used += time.Since(t.started)
		t.started = time.Time{}
	}
	return t.used >= t.timeout.Limit
}

// pause stops the clock while the tool continues. If the time is up, it ends the context of the tool.
func (t *toolClock) pause() {
	if t.stop() {
		t.timeUp()
	}
}

// timeUp ends the context of the tool, unless the clock was stopped in time.
func (t *toolClock) timeUp() {
	t.mu.Lock()
	used := t.used
	if !t.started.IsZero() {
		used += time.Since(t.started)
	}
	isUp := used >= t.timeout.Limit && t.over == nil
	if isUp {
		over, cancel := context.WithDeadlineCause(context.Background(), time.Unix(0, 0), t.timeout)
		cancel()
		t.over = over
	}
	t.mu.Unlock()
	if isUp {
		t.expire()
	}
}

// ended returns the context with the error; nil while the time is not up.
func (t *toolClock) ended() context.Context {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.over
}

// never is never closed.
var never = make(chan struct{})

// Done implements [context.Context]. The context of the tool ends by AfterFunc.
func (t *toolClock) Done() <-chan struct{} { return never }

// AfterFunc is called by package context, see [context.AfterFunc].
func (t *toolClock) AfterFunc(expire func()) (stop func() bool) {
	t.expire = expire // before start
	return context.AfterFunc(t.Context, expire)
}

// Err implements [context.Context].
func (t *toolClock) Err() error {
	if over := t.ended(); over != nil {
		return over.Err()
	}
	return t.Context.Err()
}

// Value implements [context.Context]. Package context finds the cause with it.
func (t *toolClock) Value(key any) any {
	if over := t.ended(); over != nil {
		if value := over.Value(key); value != nil {
			return value
		}
	}
	return t.Context.Value(key)
}

// Deadline implements [context.Context].
func (t *toolClock) Deadline() (time.Time, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, ok := t.Context.Deadline()
	if t.started.IsZero() {
		return at, ok
	}
	if own := t.started.Add(t.timeout.Limit - t.used); !ok || own.Before(at) {
		return own, true
	}
	return at, ok
}
