package install

import (
	"io"
	"os"
	goruntime "runtime"
)

// disk is what replacing a file does to a file system, so that a test can have each step fail.
type disk interface {
	// read returns what a file has in it; the error is fs.ErrNotExist if there is none.
	read(path string) ([]byte, error)
	mkdir(path string) error
	// temp makes a new file beside others, with a name that is not taken.
	temp(dir, pattern string, mode os.FileMode) (scratch, error)
	// create makes a file; the error is fs.ErrExist if there is one.
	create(path string, mode os.FileMode) (scratch, error)
	// link gives a file a second name; the error is fs.ErrExist if that is taken.
	link(path, name string) error
	rename(from, to string) error
	remove(path string) error
	// sync makes what happened to the names in a directory last, where the system can.
	sync(dir string) error
}

// scratch is a file that is being written.
type scratch interface {
	io.WriteCloser
	Name() string
	Sync() error
}

// system is the disk of the machine.
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

// withMode gives a new file its mode, whatever the umask is.
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
		return nil // directories cannot be synced there
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync() // some file systems cannot, and the name is there all the same
	return d.Close()
}
