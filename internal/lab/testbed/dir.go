package testbed

import (
	"errors"
	"os"
)

// Dir makes a new directory for everything that nginx and the instances write. Remove removes it.
func Dir(name string) (dir string, remove func() error, err error) {
	if dir, err = os.MkdirTemp("", name); err != nil {
		return "", nil, err
	}
	remove = func() error { return os.RemoveAll(dir) }
	if err := os.Chmod(dir, 0o755); err != nil { // started by root, nginx works as another user
		return "", nil, errors.Join(err, remove())
	}
	return dir, remove, nil
}
