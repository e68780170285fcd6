//go:build linux

package stdio

import "syscall"

// duplicate makes descriptor to a duplicate of from. It uses dup3 because some
// Linux ports do not have dup2.
func duplicate(from, to int) error { return syscall.Dup3(from, to, 0) }
