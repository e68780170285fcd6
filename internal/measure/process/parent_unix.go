//go:build unix && !linux

package process

import "syscall"

// endWithParent does nothing: a process outlives this one if it is killed, unless it ends at the end of its stdin.
func endWithParent(*syscall.SysProcAttr) {}
