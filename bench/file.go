package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcptool-go/mcptool/bench/internal/atomicfile"
)

// writeFile writes a file atomically. It keeps the mode of an existing file and follows symbolic links. It writes to a
// device or a pipe directly instead of replacing it.
func writeFile(path string, data []byte) (err error) {
	if real, linkErr := filepath.EvalSymlinks(path); linkErr == nil {
		path = real
	}
	defer func() {
		if err != nil {
			err = usageError("%s cannot be written: %v; nothing was changed there", path, atomicfile.Cause(err))
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
	return atomicfile.Write(path, data, mode)
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
