//go:build !windows && !plan9 && !solaris && !aix && !android

package boltstore

import (
	"errors"
	"os"
	"syscall"
)

// replaceable says that the file can be replaced while it is open and locked. It can where bbolt locks files with flock,
// see its bolt_unix.go: such a lock is of the open file, and another file can be locked and get its name.
const replaceable = true

// inherit gives a file the owner and permissions of another one.
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

// links returns how many names a file has.
func links(info os.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink) //nolint:unconvert // it has another type on other systems
	}
	return 1
}
