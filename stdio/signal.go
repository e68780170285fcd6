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

// surviveBrokenPipes makes a write to a closed standard output or standard
// error return an error, like a write to any other file. By default Go ends the
// process, so a client that closes only standard error would lose its session
// when a tool logs. Child processes are not affected.
func surviveBrokenPipes() (restore func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGPIPE)
	return func() { signal.Stop(signals) }
}
