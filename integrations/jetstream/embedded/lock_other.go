//go:build !windows

package embedded

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lock creates and locks a file until it is closed or the process exits.
func lock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, fileMode) //nolint:gosec // the caller chooses the directory
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = fmt.Errorf("%w: another process uses it", ErrDir)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
