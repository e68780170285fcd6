package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcptool-go/mcptool/bench/internal/atomicfile"
)

// maxSize is the maximum size of a file, in bytes. Claude Code keeps other data in its file, but far less than this.
const maxSize = 64 << 20

// A target is a file to be changed, with its state when it was read.
type target struct {
	path   string // with symbolic links resolved
	exists bool
	data   []byte
	mode   os.FileMode
}

// open reads the file at path, following links. A missing file is not an error; a new one has the given mode.
func open(path string, mode os.FileMode) (*target, error) {
	path, err := atomicfile.Resolve(path)
	if err != nil {
		return nil, err
	}
	t := &target{path: path, mode: mode}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, usage("%s is not a regular file", path)
	case info.Size() > maxSize:
		return nil, usage("%s has %d MB, which is too large for a configuration", path, info.Size()>>20)
	}
	t.exists, t.mode = true, info.Mode().Perm()
	t.data, err = os.ReadFile(path)
	return t, err
}

// write replaces the file atomically. Before that, it makes a backup and returns its path. It fails if another program
// has changed the file since it was read.
func (t *target) write(data []byte) (backup string, err error) {
	if !t.exists {
		if _, err := os.Lstat(t.path); err == nil {
			return "", usage("another program has created %s meanwhile; nothing was written, try again", t.path)
		}
		if err := os.MkdirAll(filepath.Dir(t.path), 0o755); err != nil {
			return "", err
		}
		return "", atomicfile.Write(t.path, data, t.mode)
	}
	if t.mode&0o222 == 0 {
		return "", usage("%s is read-only, so another program may manage it; nothing was written", t.path)
	}
	if now, err := os.ReadFile(t.path); err != nil || !bytes.Equal(now, t.data) {
		return "", usage("another program has changed %s meanwhile; nothing was written, try again", t.path)
	}
	if backup, err = t.backup(); err != nil {
		return "", fmt.Errorf("there is no backup: %w", atomicfile.Cause(err))
	}
	return backup, atomicfile.Write(t.path, data, t.mode)
}

// backup copies the file to the first unused name beside it, and returns its path.
func (t *target) backup() (string, error) {
	name := t.path + ".bak"
	for i := 1; ; i++ {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, t.mode)
		if errors.Is(err, fs.ErrExist) {
			name = fmt.Sprintf("%s.bak.%d", t.path, i)
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(t.data)
		if err = errors.Join(err, f.Chmod(t.mode), f.Close()); err != nil {
			_ = os.Remove(name) // it is incomplete
		}
		return name, err
	}
}
