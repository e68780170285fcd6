package install

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// patience is how long to wait for another process that changes the same file.
const patience = time.Minute

// lock excludes other installs by this user from a file until unlock. The lock is a file in the user's cache directory,
// to leave no files next to the configuration. Without a cache directory, only the comparison before the file is
// replaced protects it.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return func() {}, nil
	}
	dir := filepath.Join(cache, "mcptool", "install")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return func() {}, nil
	}
	sum := sha256.Sum256([]byte(path))
	held := flock.New(filepath.Join(dir, hex.EncodeToString(sum[:8])+".lock"))
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if _, err := held.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return nil, fmt.Errorf("%s is being changed by another install: %w", path, err)
	}
	return func() { _ = held.Unlock() }, nil
}
