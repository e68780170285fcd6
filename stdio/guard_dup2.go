//go:build unix && !linux && !solaris

package stdio

import "syscall"

// duplicate makes to another name of the open file behind from.
func duplicate(from, to int) error { return syscall.Dup2(from, to) }
