package stdio

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
)

// stream is one of the process's standard streams while a server uses it.
type stream struct {
	file    *os.File     // the original stream, which other code cannot reach
	restore func() error // makes it the standard stream again
}

// The standard streams belong to the process, so these variables are global.
var stdinTaken, stdoutTaken atomic.Bool

var errTaken = errors.New("another Serve uses it")

// takeInput reserves standard input for the protocol. On systems with
// takeDescriptor, standard input is empty for all other code in this process
// and its children, so that they cannot read the client's messages.
func takeInput() (*stream, error) {
	return take(&stdinTaken, "standard input", standardInput)
}

// takeOutput reserves standard output for the protocol. Everything else that
// this process or a child writes to standard output goes to standard error
// instead, so that it does not corrupt the messages.
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
