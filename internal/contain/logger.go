package contain

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// Logger returns a logger that does what l does, except that records at which l's handler panics are lost, and that
// a handler that blocks, as one does whose output nobody reads, holds nobody up for long: who logs waits for it for
// 200 ms at most, once; then records are kept for it up to a bound, and dropped beyond that. When the handler goes on
// it gets those that were kept, and a record that tells how many were not. For nil it returns nil.
func Logger(l *slog.Logger) *slog.Logger {
	if l == nil {
		return nil
	}
	return slog.New(handler{l.Handler(), &queue{root: l.Handler()}})
}

// Flush waits until l's handler has got all records, for as long as given. L is a logger that [Logger] has returned;
// others have nothing to wait for.
func Flush(l *slog.Logger, most time.Duration) {
	if h, ok := l.Handler().(handler); ok {
		h.queue.wait(most)
	}
}

// handler is a handler that may panic or block.
type handler struct {
	may   slog.Handler
	queue *queue
}

// Enabled implements [slog.Handler].
func (h handler) Enabled(ctx context.Context, level slog.Level) (enabled bool) {
	defer func() {
		if recover() != nil {
			enabled = false
		}
	}()
	return h.may.Enabled(ctx, level)
}

// Handle implements [slog.Handler].
func (h handler) Handle(ctx context.Context, record slog.Record) error {
	return h.queue.handle(ctx, h.may, record)
}

// handle hands the record to its handler.
func (e *entry) handle() (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the log handler panicked: %v", v)
		}
	}()
	return e.handler.Handle(e.ctx, e.record)
}

// WithAttrs implements [slog.Handler].
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.with(func() slog.Handler { return h.may.WithAttrs(attrs) })
}

// WithGroup implements [slog.Handler].
func (h handler) WithGroup(name string) slog.Handler {
	return h.with(func() slog.Handler { return h.may.WithGroup(name) })
}

// with returns what derive makes of h, h itself if that panics.
func (h handler) with(derive func() slog.Handler) (derived slog.Handler) {
	defer func() {
		if recover() != nil {
			derived = h
		}
	}()
	return handler{derive(), h.queue}
}
