package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcptool-go/mcptool/bench/internal/atomicfile"
)

// writeFile writes a file atomically. It keeps the mode of an existing file and follows symbolic links. It writes to a
// device or a pipe directly instead of replacing it.
func writeFile(path string, data []byte) (err error) {
	defer func() {
		if err != nil {
			err = usageError("%s cannot be written: %v; nothing was changed there", path, atomicfile.Cause(err))
		}
	}()
	real, err := atomicfile.Resolve(path)
	if err != nil {
		return err
	}
	path = real
	mode := fs.FileMode(0o644)
	if info, statErr := os.Stat(path); statErr == nil {
		switch mode = info.Mode().Perm(); {
		case info.IsDir():
			return errors.New("it is a directory; name a file")
		case !info.Mode().IsRegular():
			return os.WriteFile(path, data, mode)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(path, data, mode)
}

// maxFile is the maximum size of a file that is read, in bytes.
const maxFile = 64 << 20

// readFile reads a file. It reads a device only up to maxFile.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, usageError("%s cannot be read: %w", path, atomicfile.Cause(err))
	}
	defer func() { _ = f.Close() }() // read-only
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, usageError("%s cannot be read: %w", path, atomicfile.Cause(err))
	case len(data) > maxFile:
		return nil, usageError("%s has more than %d MiB", path, maxFile>>20)
	}
	return data, nil
}
