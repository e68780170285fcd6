package contain

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
)

// ErrPanic is wrapped by the errors of [Error].
var ErrPanic = errors.New("panic")

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
		*err = fmt.Errorf("%w: %v\n%s", ErrPanic, v, debug.Stack())
	}
}
