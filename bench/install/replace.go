package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// errChanged means that another program has written the file since it was read.
var errChanged = errors.New("another program writes the file again and again; close it and try once more")

// A target is a file to be replaced, with its state when it was read.
type target struct {
	path   string // with symbolic links resolved
	exists bool
	data   []byte
	mode   os.FileMode
	info   os.FileInfo // nil if it does not exist
}

// newMode is the mode of a new file. Only the user may read secrets in a user file.
func newMode(s Scope) os.FileMode {
	if s == Project {
		return 0o644
	}
	return 0o600
}

// open reads the file at path, following links. A missing file is not an error.
func open(path string, mode os.FileMode) (*target, error) {
	path, err := follow(path)
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
	case info.IsDir():
		return nil, usage("%s is a directory; name the file in it", path)
	case !info.Mode().IsRegular():
		return nil, usage("%s is not a regular file", path)
	case info.Size() > maxSize:
		return nil, usage("%s has %d MB, which is no configuration", path, info.Size()>>20)
	}
	t.exists, t.mode, t.info = true, info.Mode().Perm(), info
	t.data, err = os.ReadFile(path)
	return t, err
}

// follow resolves symbolic links. The result may not exist.
func follow(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for range 40 {
		link, err := os.Readlink(path)
		if err != nil {
			return path, nil //nolint:nilerr // not a link
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(path), link)
		}
		path = link
	}
	return "", usage("%s is a symbolic link to itself", path)
}

// replace replaces the contents of a target atomically, even if the process is killed. Before that, it makes a backup
// and returns its path.
func replace(d disk, t *target, data []byte) (backup string, err error) {
	if t.exists && t.mode&0o222 == 0 {
		return "", usage("%s is read-only, as files are that something else manages; nothing was written", t.path)
	}
	dir := filepath.Dir(t.path)
	if err := d.mkdir(dir); err != nil {
		return "", err
	}
	temp, err := write(d, t, data)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			_ = d.remove(temp)
		}
	}()
	if t.exists {
		if backup, err = keep(d, t); err != nil {
			return "", fmt.Errorf("there is no backup: %w", cause(err))
		}
	}
	defer func() {
		if err != nil && backup != "" {
			_ = d.remove(backup)
			backup = ""
		}
	}()
	now, err := d.read(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !t.exists:
	case errors.Is(err, fs.ErrNotExist), err == nil && (!t.exists || !bytes.Equal(now, t.data)):
		return backup, errChanged
	case err != nil:
		return backup, err
	}
	if err := d.rename(temp, t.path); err != nil {
		return backup, err
	}
	_ = d.sync(dir) // the file is replaced; an error here would suggest otherwise
	return backup, nil
}

// write creates a file with data in the directory of the target, and returns its path.
func write(d disk, t *target, data []byte) (string, error) {
	f, err := d.temp(filepath.Dir(t.path), "."+filepath.Base(t.path)+".*.tmp", t.mode)
	if err != nil {
		return "", err
	}
	if err := fill(f, data); err != nil {
		_ = d.remove(f.Name())
		return "", err
	}
	if t.exists {
		giveTo(f.Name(), t.info)
	}
	return f.Name(), nil
}

// fill writes a new file and syncs it.
func fill(f scratch, data []byte) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// keep creates a backup of the target in its directory, under the first unused name, and returns its path. The backup
// gets its name only when it is complete.
func keep(d disk, t *target) (string, error) {
	temp, err := write(d, t, t.data)
	if err != nil {
		return "", err
	}
	defer func() { _ = d.remove(temp) }()
	for i := 0; ; i++ {
		name := t.path + ".bak"
		if i > 0 {
			name = fmt.Sprintf("%s.bak.%d", t.path, i)
		}
		err := d.link(temp, name)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			err = copyTo(d, t, name) // some file systems have no hard links
		}
		if !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}

// copyTo writes a backup directly.
func copyTo(d disk, t *target, name string) error {
	f, err := d.create(name, t.mode)
	if err != nil {
		return err
	}
	if err := fill(f, t.data); err != nil {
		_ = d.remove(name)
		return err
	}
	return nil
}
