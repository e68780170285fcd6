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
	timeout atomic.Int64              // nanoseconds of silence that are too long
	alive   atomic.Pointer[time.Time] // when there was the last sign of life
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

// A silentError is the cause of the end of a context: no sign of life came.
type silentError struct{ after time.Duration }

func (e *silentError) Error() string { return fmt.Sprintf("no answer within %v", e.after) }

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
	if left := w.timeout - time.Since(heard); left > 0 {
		w.timer.Reset(left)
		return
	}
	w.cancel(&silentError{w.timeout})
}
