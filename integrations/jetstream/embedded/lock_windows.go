package embedded

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// sharingViolation is the error for a file opened by another process without sharing.
const sharingViolation syscall.Errno = 32

// lock creates and opens a file exclusively until it is closed or the process exits.
func lock(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const shareNothing = 0
	handle, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, shareNothing, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		return nil, fmt.Errorf("%w: another process uses it", ErrDir)
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(handle), path), nil
}
