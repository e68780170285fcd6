//go:build !windows

package stdio

import "syscall"

var systemHangups = []error{syscall.EPIPE, syscall.ECONNRESET}
