//go:build windows || plan9 || solaris || aix || android

package boltstore

import (
	"errors"
	"os"
)

// replaceable is false because the file cannot be replaced while it is open and locked: Windows does not rename to an
// open file, and elsewhere bbolt uses process locks, which end when any handle of the file is closed.
const replaceable = false

func inherit(*os.File, os.FileInfo) error { return errors.ErrUnsupported }

func links(os.FileInfo) uint64 { return 1 }
