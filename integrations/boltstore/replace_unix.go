//go:build !windows && !plan9 && !solaris && !aix && !android

package boltstore

import (
	"errors"
	"os"
	"syscall"
)

// replaceable is true because bbolt locks files with flock here, see its bolt_unix.go: such a lock belongs to the open
// file, so another file can be locked and renamed to its name.
const replaceable = true

// inherit copies the owner and permissions of another file.
func inherit(file *os.File, from os.FileInfo) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	should, known := from.Sys().(*syscall.Stat_t)
	if !ok || !known {
		return errors.ErrUnsupported
	}
	if is.Uid != should.Uid || is.Gid != should.Gid {
		if err := file.Chown(int(should.Uid), int(should.Gid)); err != nil {
			return err
		}
	}
	return file.Chmod(from.Mode())
}

// links returns the number of hard links of a file.
func links(info os.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink) //nolint:unconvert // the type differs between systems
	}
	return 1
}
