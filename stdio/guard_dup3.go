//go:build linux

package stdio

import "syscall"

// duplicate makes to another name of the open file behind from. Not every
// Linux has dup2.
func duplicate(from, to int) error { return syscall.Dup3(from, to, 0) }
