package contain

import (
	"context"
	"log/slog"
	"runtime/debug"
)

// Panic is deferred by goroutines and timers that nobody waits for: a panic in one goes to the log, and does not end
// the process. What says what has not been done.
func Panic(ctx context.Context, logger *slog.Logger, what string) {
	if v := recover(); v != nil {
		logger.LogAttrs(ctx, slog.LevelError, what, slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
	}
}
