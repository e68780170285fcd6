package stdio

import (
	"os"
	"syscall"
)

// isTerminal reports whether f is a console. Only a console has a console mode.
func isTerminal(f *os.File) bool {
	var mode uint32
	return syscall.GetConsoleMode(syscall.Handle(f.Fd()), &mode) == nil
}
