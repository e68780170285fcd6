//go:build unix && !solaris

package stdio

import (
	"os"
	"syscall"
)

func standardInput() (*stream, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close() //nolint:errcheck // read only, and a duplicate lives on
	return takeDescriptor(syscall.Stdin, int(null.Fd()), "stdin")
}

func standardOutput() (*stream, error) {
	return takeDescriptor(syscall.Stdout, syscall.Stderr, "stdout")
}

// takeDescriptor moves the open file behind descriptor fd to a new descriptor,
// which children do not inherit, and makes fd a duplicate of instead. It is the
// descriptor that is moved and not the variable os.Stdout: so it holds for
// copies of the variable, for println, for C code and for children that inherit
// the descriptor, and nobody who reads the variable meanwhile is raced.
//
// The new descriptor is neither 1 nor 2, so that writing to a broken pipe is an
// error to be handled and not a SIGPIPE that ends the process.
func takeDescriptor(fd, instead int, name string) (*stream, error) {
	// The lock keeps a fork from falling between the two calls.
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
		_ = file.Close() // only the duplicate; and a Read may still be pending
		return os.NewSyscallError("dup2", err)
	}
	return &stream{file, restore}, nil
}
