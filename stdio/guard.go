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

// take reserves a standard stream for the protocol, and opens it with standardInput or standardOutput, which make all
// other code of this process and its children use something else: so that they cannot read the client's messages, nor
// corrupt the server's.
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
