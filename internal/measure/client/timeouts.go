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
	stop := p.watch(math.MaxInt64, func(late *NoAnswerError) { cancel(late) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// watch calls late when a request that begins now times out, or has taken the time limit despite activity. Stop
// prevents that.
func (p *timeouts) watch(limit time.Duration, late func(*NoAnswerError)) (stop func() bool) {
	began, timeout := time.Now(), time.Duration(p.timeout.Load())
	var timer *time.Timer
	timer = time.AfterFunc(math.MaxInt64, func() {
		heard := began
		if alive := p.alive.Load(); alive != nil && alive.After(heard) {
			heard = *alive
		}
		left, total := timeout-time.Since(heard), limit-time.Since(began)
		if p.asking.Load() > 0 {
			left = timeout
		}
		switch {
		case total <= 0:
			late(&NoAnswerError{limit})
		case left <= 0:
			late(&NoAnswerError{timeout})
		default:
			timer.Reset(min(left, total))
		}
	})
	timer.Reset(min(timeout, limit)) // only now, since the func uses the variable
	return timer.Stop
}
