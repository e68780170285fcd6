package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// A patience decides when a server has been silent for too long. What a server reports of a
// call is a sign of life, and while its user thinks about a question no time passes.
type patience struct {
	timeout atomic.Int64              // nanoseconds of silence that are too long
	alive   atomic.Pointer[time.Time] // when there was the last sign of life
	bounded bool                      // signs of life extend a timeout up to MaxExtension times
	asking  atomic.Int32              // questions that the user has not answered yet
}

func (p *patience) signOfLife() {
	now := time.Now()
	p.alive.Store(&now)
}

// pause stops the time until the function it returns is called.
func (p *patience) pause() func() {
	p.asking.Add(1)
	return func() {
		p.signOfLife()
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

// limited runs do with a context that ends after [MaxExtension] times the timeout, whatever signs of life there are.
// The error then says that it was what that took too long.
func limited[T any](ctx context.Context, c *Client, what string, do func(context.Context) (T, error)) (T, error) {
	late := &NoAnswerError{After: MaxExtension * time.Duration(c.patience.timeout.Load()), Reporting: true}
	ctx, cancel := context.WithTimeoutCause(ctx, late.After, late)
	defer cancel()
	result, err := do(ctx)
	if err != nil && ctx.Err() != nil && errors.Is(context.Cause(ctx), late) {
		var none T
		return none, c.tooLong(what, late)
	}
	return result, err
}

// tooLong returns the error for what took too long in spite of signs of life.
func (c *Client) tooLong(what string, late *NoAnswerError) error {
	return c.link.trouble(fmt.Sprintf("no answer within %v to %s, whatever else it sends; reports extend --timeout up to %d times", late.After, what, MaxExtension), late)
}

// within returns a context that ends when patience does, and what releases it.
func (p *patience) within(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watch{patience: p, timeout: time.Duration(p.timeout.Load()), began: time.Now(), cancel: cancel}
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
	patience *patience
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
	if w.patience.asking.Load() > 0 {
		w.timer.Reset(w.timeout)
		return
	}
	heard := w.began
	if alive := w.patience.alive.Load(); alive != nil && alive.After(heard) {
		heard = *alive
	}
	left := w.timeout - time.Since(heard)
	if most := MaxExtension * w.timeout; w.patience.bounded {
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
