//go:build unix

package thirdparty_test

import (
	"os"
	"syscall"
)

// lock keeps other runs of these tests from building into the same directory until unlock is called.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	return func() { _ = f.Close() }, syscall.Flock(int(f.Fd()), syscall.LOCK_EX) // closing unlocks
}
