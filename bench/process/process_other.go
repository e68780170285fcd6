//go:build !linux

package process

import (
	"errors"
	"time"
)

var errLinux = errors.New("what a server costs can be measured on Linux only")

// Time is known on Linux only.
func Time(int) (time.Duration, error) { return 0, errLinux }

// Peak is known on Linux only.
func Peak(int) (int64, error) { return 0, errLinux }

// Resident is known on Linux only.
func Resident(int) (int64, error) { return 0, errLinux }

// Tree is known on Linux only.
func Tree(int) (Usage, error) { return Usage{}, errLinux }
