package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// timeouts decide when a request has been without activity for too long. Progress and log messages are activity, and
// while the user has not answered an elicitation no time passes.
type timeouts struct {
	timeout atomic.Int64              // nanoseconds of silence that are too long
	alive   atomic.Pointer[time.Time] // the last activity
	bounded bool                      // activity extends a timeout up to MaxExtension times
	asking  atomic.Int32              // elicitations without an answer yet
}

func (p *timeouts) activity() {
	now := time.Now()
	p.alive.Store(&now)
}

// pause stops the time until the function it returns is called.
func (p *timeouts) pause() func() {
	p.asking.Add(1)
	return func() {
		p.activity()
		p.asking.Add(-1)
	}
}

// A NoAnswerError is the cause of an *UnreachableError: a request was not answered in time.
type NoAnswerError struct {
	After time.Duration
	// Reporting says that the time was extended by progress and logs, up to [MaxExtension] times the timeout.
	Reporting bool
}

func (e *NoAnswerError) Error() string { return fmt.Sprintf("no answer within %v", e.After) }

// limited runs do with a context that ends after [MaxExtension] times the timeout, whatever activity there is.
// The error then says that it was what that took too long.
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

// tooLong returns the error for a request that took too long in spite of activity.
func (c *Client) tooLong(what string, late *NoAnswerError) error {
	return c.conn.unreachable(fmt.Sprintf("no answer within %v to %s, whatever else it sends; reports extend --timeout up to %d times", late.After, what, MaxExtension), late)
}

// within returns a context that ends when the request has timed out, and a func that releases it.
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

// look runs when the time may be over.
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
