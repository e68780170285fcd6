//go:build unix

package strangers

import (
	"os"
	"syscall"
	"testing"
)

// lock keeps the tests of other packages, which are processes of their own, from building
// into the same directory at the same time. It returns what ends that.
func lock(t *testing.T, path string) func() {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	return func() { _ = f.Close() } // which unlocks it
}
