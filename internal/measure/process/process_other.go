//go:build !linux

package process

import (
	"errors"
	"time"
)

var errLinux = errors.New("the resources of a server can be measured only on Linux")

// Time is implemented only on Linux.
func Time(int) (time.Duration, error) { return 0, errLinux }

// Peak is implemented only on Linux.
func Peak(int) (int64, error) { return 0, errLinux }

// Resident is implemented only on Linux.
func Resident(int) (int64, error) { return 0, errLinux }

// Tree is implemented only on Linux.
func Tree(int) (Usage, error) { return Usage{}, errLinux }
