package stdio

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilSignal returns a context that ends with the first interrupt, SIGTERM or SIGHUP, which says that the
// terminal or the login is gone. A signal the process was started to ignore, as nohup does with SIGHUP, stays ignored.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	var signals []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signals = append(signals, s)
		}
	}
	if len(signals) == 0 {
		return ctx, func() {} // no signals would mean all of them
	}
	ctx, stop := signal.NotifyContext(ctx, signals...)
	context.AfterFunc(ctx, stop) // the second one is not ours
	return ctx, stop
}
