package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFile writes a file atomically. It keeps the mode of an existing file and follows symbolic links. It writes to a
// device or a pipe directly instead of replacing it.
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
		_ = os.Remove(f.Name()) // the file is incomplete
	}
	return err
}

// writeThrough writes directly to a device or a pipe.
func writeThrough(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// cause strips the operation and the path from a file error.
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
