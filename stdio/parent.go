//go:build !windows

package stdio

import "os"

// firstParent is the process that started this one. A client may end before Serve begins.
var firstParent = os.Getppid()

// watchParent returns a func that reports whether the process that started this one has ended: the system gives orphans
// another parent. The func is nil if that cannot be detected, because the first parent is init or outside of a container
// (1 or 0).
func watchParent() (ended func() bool, stop func()) {
	if firstParent <= 1 {
		return nil, func() {}
	}
	return func() bool { return os.Getppid() != firstParent }, func() {}
}
