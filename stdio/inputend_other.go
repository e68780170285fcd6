//go:build !linux

package stdio

import "io"

// watchInputEnd is for systems where the end of the input is seen when everything before it was read.
func watchInputEnd(io.Reader) (ended <-chan struct{}, stop func()) { return nil, func() {} }
