package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// timeouts tracks the activity that extends requests. Progress and log messages are activity, and the time of an
// unanswered elicitation does not count.
type timeouts struct {
	timeout atomic.Int64              // time without activity, in nanoseconds
	alive   atomic.Pointer[time.Time] // time of the last activity
	bounded bool                      // limits extension by activity to MaxExtension times the timeout
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
type NoAnswerError struct {
	After time.Duration
	// Reporting is set if progress and logs extended the timeout, up to [MaxExtension] times.
	Reporting bool
}

func (e *NoAnswerError) Error() string { return fmt.Sprintf("no answer within %v", e.After) }

// limited runs do with a context that ends after [MaxExtension] times the timeout, regardless of activity. After such a
// timeout, the error names what.
func limited[T any](ctx context.Context, c *Client, what string, do func(context.Context) (T, error)) (T, error) {
	late := &NoAnswerError{After: MaxExtension * time.Duration(c.timeouts.timeout.Load()), Reporting: true}
	ctx, cancel := context.WithTimeoutCause(ctx, late.After, late)
	defer cancel()
	result, err := do(ctx)
	if err != nil && ctx.Err() != nil && errors.Is(context.Cause(ctx), late) {
		var none T
		return none, c.tooLong(what, late)
	}
	return result, err
}

// tooLong returns the error for a request that timed out despite activity.
func (c *Client) tooLong(what string, late *NoAnswerError) error {
	return c.conn.unreachable(fmt.Sprintf("no answer within %v to %s, whatever else it sends; reports extend --timeout up to %d times", late.After, what, MaxExtension), late)
}

// within returns a context that ends when the request times out, and a release function.
func (p *timeouts) within(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watch{timeouts: p, timeout: time.Duration(p.timeout.Load()), began: time.Now(), cancel: cancel}
	w.mu.Lock()
	w.timer = time.AfterFunc(w.timeout, w.look)
	w.mu.Unlock()
	return ctx, func() {
		w.timer.Stop()
		cancel(nil)
	}
}

// A watch ends one context.
type watch struct {
	timeouts *timeouts
	timeout  time.Duration
	began    time.Time
	cancel   context.CancelCauseFunc
	mu       sync.Mutex
	timer    *time.Timer
}

// look checks for a timeout when the timer fires.
func (w *watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timeouts.asking.Load() > 0 {
		w.timer.Reset(w.timeout)
		return
	}
	heard := w.began
	if alive := w.timeouts.alive.Load(); alive != nil && alive.After(heard) {
		heard = *alive
	}
	left := w.timeout - time.Since(heard)
	if most := MaxExtension * w.timeout; w.timeouts.bounded {
		if left = min(left, most-time.Since(w.began)); left <= 0 && time.Since(w.began) >= most {
			w.cancel(&NoAnswerError{After: most, Reporting: true})
			return
		}
	}
	if left > 0 {
		w.timer.Reset(left)
		return
	}
	w.cancel(&NoAnswerError{After: w.timeout})
}
