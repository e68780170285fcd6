//go:build !windows

package stdio

import "os"

// firstParent is the id of the process that started this one. It is read early because that process may end before
// Serve is called.
var firstParent = os.Getppid()

// watchParent returns a function that reports whether the process that started this one has ended; the system then
// assigns another parent to this one. The function is nil if that cannot be detected, because the first parent is init
// (1) or outside of the container (0).
func watchParent() (ended func() bool, stop func()) {
	if firstParent <= 1 {
		return nil, func() {}
	}
	return func() bool { return os.Getppid() != firstParent }, func() {}
}
