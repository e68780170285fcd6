//go:build unix

package install

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOwner changes another user's file as root and checks that the user still owns it and
// the backup.
func TestOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "mcp.json")
	if err := os.WriteFile(file, []byte(oldText), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(file, 12345, 12346); err != nil {
		t.Skip(err)
	}
	if _, err := Do(t.Context(), machine(dir), weather(file)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, file + ".bak"} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); !ok || stat.Uid != 12345 || stat.Gid != 12346 || info.Mode().Perm() != 0o600 {
			t.Errorf("%s is of %+v, mode %v", path, info.Sys(), info.Mode())
		}
	}
}
