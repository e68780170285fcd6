package contain

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
)

// Panic recovers a panic and logs it with a stack trace, so that it does not end the process. Background goroutines and
// timers must defer it directly. what is the log message, which names the work that was not done.
func Panic(ctx context.Context, logger *slog.Logger, what string) {
	if v := recover(); v != nil {
		logger.LogAttrs(ctx, slog.LevelError, what, slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
	}
}

// Error recovers a panic and sets *err to an error with its value and a stack trace, for the log of the caller. It must
// be deferred directly.
func Error(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
	}
}

// Logger returns a logger like l. A record for which the handler of l panics is lost. For nil Logger returns nil.
func Logger(l *slog.Logger) *slog.Logger {
	if l == nil {
		return nil
	}
	return slog.New(handler{l.Handler()})
}

// handler is a [slog.Handler] for a handler that may panic.
type handler struct{ may slog.Handler }

// Enabled implements [slog.Handler].
func (h handler) Enabled(ctx context.Context, level slog.Level) (enabled bool) {
	defer func() { _ = recover() }() // then enabled is false
	return h.may.Enabled(ctx, level)
}

// Handle implements [slog.Handler].
func (h handler) Handle(ctx context.Context, record slog.Record) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the log handler panicked: %v", v)
		}
	}()
	return h.may.Handle(ctx, record)
}

// WithAttrs implements [slog.Handler].
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.with(func() slog.Handler { return h.may.WithAttrs(attrs) })
}

// WithGroup implements [slog.Handler].
func (h handler) WithGroup(name string) slog.Handler {
	return h.with(func() slog.Handler { return h.may.WithGroup(name) })
}

// with returns the result of derive, or h itself if derive panics.
func (h handler) with(derive func() slog.Handler) (derived slog.Handler) {
	defer func() {
		if recover() != nil {
			derived = h
		}
	}()
	return handler{derive()}
}
