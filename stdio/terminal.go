//go:build !windows

package stdio

import "os"

// isTerminal reports whether f is a terminal: a character device that is not
// the null device, which is often the standard input of services.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
