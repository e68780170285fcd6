package stdio

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
)

// stream is one of the process's standard streams while a server uses it.
type stream struct {
	file    *os.File     // the real stream, out of the reach of everyone else
	restore func() error // puts it back
}

// The standard streams are the process's, and so is who has taken them.
var stdinTaken, stdoutTaken atomic.Bool

var errTaken = errors.New("another Serve uses it")

// takeInput takes standard input for the protocol. Where the system allows it
// (see takeDescriptor), whoever else reads from standard input, in this process
// or a child, finds it empty instead of eating the client's messages.
func takeInput() (*stream, error) {
	return take(&stdinTaken, "standard input", standardInput)
}

// takeOutput takes standard output for the protocol. Whatever else is written
// to standard output, by this process or a child, goes to standard error
// instead of between the messages.
func takeOutput() (*stream, error) {
	return take(&stdoutTaken, "standard output", standardOutput)
}

func take(taken *atomic.Bool, name string, open func() (*stream, error)) (*stream, error) {
	if !taken.CompareAndSwap(false, true) {
		return nil, fmt.Errorf("stdio: %s: %w", name, errTaken)
	}
	s, err := open()
	if err != nil {
		taken.Store(false)
		return nil, fmt.Errorf("stdio: %s: %w", name, err)
	}
	restore := s.restore
	s.restore = func() error {
		defer taken.Store(false)
		return restore()
	}
	return s, nil
}
