package stdio

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilSignal returns a context that ends with the first interrupt, SIGTERM, or SIGHUP, which is sent when the terminal
// or login session ends. A signal that was ignored when the process started, such as SIGHUP under nohup, remains
// ignored.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	var signals []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signals = append(signals, s)
		}
	}
	if len(signals) == 0 {
		return ctx, func() {} // NotifyContext without signals would catch all signals
	}
	ctx, stop := signal.NotifyContext(ctx, signals...)
	context.AfterFunc(ctx, stop) // a second signal has its default effect
	return ctx, stop
}
