//go:build unix

package stdio

import (
	"os"
	"os/signal"
	"syscall"
)

// surviveBrokenPipes makes a write to a closed standard error fail, like one to
// any other file. By default Go ends the process, and a client that has closed
// only that would lose the calls of tools that log. Children are not concerned:
// for them it is as if nothing was changed.
func surviveBrokenPipes() (restore func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGPIPE)
	return func() { signal.Stop(signals) }
}
