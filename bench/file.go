package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFile writes a file whole or not at all. What was there keeps its mode, and a link to a
// file stays one. A device or a pipe is written to, and never replaced.
func writeFile(path string, data []byte) (err error) {
	if real, linkErr := filepath.EvalSymlinks(path); linkErr == nil {
		path = real
	}
	defer func() {
		if err != nil {
			err = usageError("%s cannot be written: %v; nothing was changed there", path, cause(err))
		}
	}()
	mode := fs.FileMode(0o644)
	if info, statErr := os.Stat(path); statErr == nil {
		switch mode = info.Mode().Perm(); {
		case info.IsDir():
			return errors.New("it is a directory; name a file")
		case !info.Mode().IsRegular():
			return writeThrough(path, data)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // there is nothing in it
	}
	return err
}

// writeThrough writes to a device or a pipe.
func writeThrough(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// cause returns what is wrong with a file, without the operation and the path that the error
// of a system call begins with.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}
