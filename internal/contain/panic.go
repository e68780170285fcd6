package contain

import (
	"context"
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
