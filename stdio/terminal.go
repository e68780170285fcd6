//go:build !windows

package stdio

import "os"

// isTerminal reports whether a person types what is read from f: a character
// device that is not the null device, which services are often started with.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
