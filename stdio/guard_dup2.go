//go:build unix && !linux && !solaris

package stdio

import "syscall"

// duplicate makes descriptor to a duplicate of from.
func duplicate(from, to int) error { return syscall.Dup2(from, to) }
