package install

import (
	"io"
	"os"
	goruntime "runtime"
)

// disk abstracts the file system operations of replace, so that a test can make each step fail.
type disk interface {
	// read returns the contents of a file; the error is fs.ErrNotExist if there is none.
	read(path string) ([]byte, error)
	mkdir(path string) error
	// temp creates a file with an unused name in dir.
	temp(dir, pattern string, mode os.FileMode) (scratch, error)
	// create creates a file; the error is fs.ErrExist if it exists.
	create(path string, mode os.FileMode) (scratch, error)
	// link creates a hard link; the error is fs.ErrExist if the name is taken.
	link(path, name string) error
	rename(from, to string) error
	remove(path string) error
	// sync makes changes to the names in a directory durable, if the system supports it.
	sync(dir string) error
}

// scratch is a file being written.
type scratch interface {
	io.WriteCloser
	Name() string
	Sync() error
}

// system is the file system of the machine.
type system struct{}

func (system) read(path string) ([]byte, error)                { return os.ReadFile(path) }
func (system) mkdir(path string) error                         { return os.MkdirAll(path, 0o755) }
func (system) link(path, name string) error                    { return os.Link(path, name) }
func (system) rename(from, to string) error                    { return os.Rename(from, to) }
func (system) remove(path string) error                        { return os.Remove(path) }
func (system) create(p string, m os.FileMode) (scratch, error) { return exclusive(p, m) }

func (system) temp(dir, pattern string, mode os.FileMode) (scratch, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	return withMode(f, mode)
}

func exclusive(path string, mode os.FileMode) (scratch, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	return withMode(f, mode)
}

// withMode sets the mode of a new file, independent of the umask.
func withMode(f *os.File, mode os.FileMode) (scratch, error) {
	if err := f.Chmod(mode); err != nil {
		_ = f.Close()
		_ = os.Remove(f.Name())
		return nil, err
	}
	return f, nil
}

func (system) sync(dir string) error {
	if goruntime.GOOS == "windows" {
		return nil // directories cannot be synced on Windows
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync() // some file systems do not support this; the name is still changed
	return d.Close()
}
