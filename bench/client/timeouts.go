package client

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"
)

// timeouts tracks the activity that extends requests. Progress and log messages are activity, and the time of an
// unanswered elicitation does not count.
type timeouts struct {
	timeout atomic.Int64              // time without activity, in nanoseconds
	alive   atomic.Pointer[time.Time] // time of the last activity
	asking  atomic.Int32              // unanswered elicitations
}

func (p *timeouts) activity() {
	now := time.Now()
	p.alive.Store(&now)
}

// pause stops the clock until the returned function is called.
func (p *timeouts) pause() func() {
	p.asking.Add(1)
	return func() {
		p.activity()
		p.asking.Add(-1)
	}
}

// A NoAnswerError is the cause of an *UnreachableError for a request that timed out.
type NoAnswerError struct{ After time.Duration }

func (e *NoAnswerError) Error() string { return fmt.Sprintf("no answer within %v", e.After) }

// bounded is limited if [Options.Bounded] is set; otherwise it only runs do.
func bounded[T any](ctx context.Context, c *Client, what string, do func(context.Context) (T, error)) (T, error) {
	if !c.opts.Bounded {
		return do(ctx)
	}
	return limited(ctx, c, what, do)
}

// limited runs do with a context that ends after [MaxExtension] times the timeout, regardless of activity. After such a
// timeout, the error names what.
func limited[T any](ctx context.Context, c *Client, what string, do func(context.Context) (T, error)) (T, error) {
	late := &NoAnswerError{MaxExtension * time.Duration(c.timeouts.timeout.Load())}
	ctx, cancel := context.WithTimeoutCause(ctx, late.After, late)
	defer cancel()
	result, err := do(ctx)
	if err != nil && errors.Is(context.Cause(ctx), late) {
		err = c.conn.unreachable(fmt.Sprintf("no answer within %v to %s, whatever else it sends; reports extend --timeout up to %d times", late.After, what, MaxExtension), late)
	}
	return result, err
}

// within returns a context that ends when the request times out, and a release function.
func (p *timeouts) within(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	began, timeout := time.Now(), time.Duration(p.timeout.Load())
	var timer *time.Timer
	timer = time.AfterFunc(math.MaxInt64, func() {
		heard := began
		if alive := p.alive.Load(); alive != nil && alive.After(heard) {
			heard = *alive
		}
		left := timeout - time.Since(heard)
		switch {
		case p.asking.Load() > 0:
			timer.Reset(timeout)
		case left > 0:
			timer.Reset(left)
		default:
			cancel(&NoAnswerError{timeout})
		}
	})
	timer.Reset(timeout) // only now, since the func uses the variable
	return ctx, func() {
		timer.Stop()
		cancel(nil)
	}
}
