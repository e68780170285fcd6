package contain

import (
	"context"
	"log/slog"
	"runtime/debug"
)

// Panic is deferred by goroutines and timers that nobody waits for: it logs a panic, which then does not end the
// process. The parameter what names the work that was not done.
func Panic(ctx context.Context, logger *slog.Logger, what string) {
	if v := recover(); v != nil {
		logger.LogAttrs(ctx, slog.LevelError, what, slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
	}
}
