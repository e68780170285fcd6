//go:build unix && !solaris

package stdio

import (
	"os"
	"syscall"
)

// standardInput makes standard input empty for other code.
func standardInput() (*stream, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close() //nolint:errcheck // read only, and the duplicate stays open
	return takeDescriptor(syscall.Stdin, int(null.Fd()), "stdin")
}

// standardOutput redirects everything else that is written to standard output to standard error.
func standardOutput() (*stream, error) {
	return takeDescriptor(syscall.Stdout, syscall.Stderr, "stdout")
}

// takeDescriptor moves the open file of descriptor fd to a new descriptor,
// which children do not inherit, and makes fd a duplicate of instead. Unlike
// setting the variable os.Stdout, this affects copies of the variable, println,
// C code, and children that inherit the descriptor, and it does not race with
// code that reads the variable.
//
// The new descriptor is neither 1 nor 2, so a write to a broken pipe returns an
// error instead of ending the process with SIGPIPE.
func takeDescriptor(fd, instead int, name string) (*stream, error) {
	// The lock prevents a fork between the two calls.
	syscall.ForkLock.RLock()
	moved, err := syscall.Dup(fd)
	if err == nil {
		syscall.CloseOnExec(moved)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, os.NewSyscallError("dup", err)
	}
	file := os.NewFile(uintptr(moved), name)
	if err := duplicate(instead, fd); err != nil {
		_ = file.Close()
		return nil, os.NewSyscallError("dup2", err)
	}
	restore := func() error {
		err := duplicate(moved, fd)
		_ = file.Close() // only a duplicate, which stays open while a Read is pending
		return os.NewSyscallError("dup2", err)
	}
	return &stream{file, restore}, nil
}
