//go:build !linux

package stdio

import "io"

// watchInputEnd returns nil: on this system the end of the input is detected only after all data before it was read.
func watchInputEnd(io.Reader) (ended <-chan struct{}, stop func()) { return nil, func() {} }
