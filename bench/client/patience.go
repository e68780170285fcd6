package client

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// A patience decides when a server has been silent for too long. What a server reports of a
// call is a sign of life, and while its user thinks about a question no time passes.
type patience struct {
	timeout time.Duration
	alive   atomic.Int64 // when there was the last sign of life, in nanoseconds since epoch
	asking  atomic.Int32 // questions that the user has not answered yet
}

// epoch is a moment on the monotonic clock.
var epoch = time.Now()

func (p *patience) signOfLife() { p.alive.Store(int64(time.Since(epoch))) }

// pause stops the time until the function it returns is called.
func (p *patience) pause() func() {
	p.asking.Add(1)
	return func() {
		p.signOfLife()
		p.asking.Add(-1)
	}
}

// A silentError is the cause of the end of a context: no sign of life came.
type silentError struct{ after time.Duration }

func (e *silentError) Error() string { return fmt.Sprintf("no answer within %v", e.after) }

// within returns a context that ends when patience does, and what releases it.
func (p *patience) within(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watch{patience: p, began: time.Since(epoch), cancel: cancel}
	w.mu.Lock()
	w.timer = time.AfterFunc(p.timeout, w.look)
	w.mu.Unlock()
	return ctx, func() {
		w.timer.Stop()
		cancel(nil)
	}
}

// A watch ends one context.
type watch struct {
	patience *patience
	began    time.Duration
	cancel   context.CancelCauseFunc
	mu       sync.Mutex
	timer    *time.Timer
}

// look runs when the time may be over.
func (w *watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.patience.asking.Load() > 0 {
		w.timer.Reset(w.patience.timeout)
		return
	}
	heard := max(w.began, time.Duration(w.patience.alive.Load()))
	if left := w.patience.timeout - (time.Since(epoch) - heard); left > 0 {
		w.timer.Reset(left)
		return
	}
	w.cancel(&silentError{w.patience.timeout})
}
