//go:build unix

package stdio

import (
	"os"
	"os/signal"
	"syscall"
)

// surviveBrokenPipes makes a write to a closed standard output or standard
// error return an error, like a write to any other file. By default Go ends the
// process, so a client that closes only standard error would lose its session
// when a tool logs. Child processes are not affected.
func surviveBrokenPipes() (restore func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGPIPE)
	return func() { signal.Stop(signals) }
}
