package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcptool-go/mcptool/bench/internal/atomicfile"
)

// A file is replaced with its mode, and a failure leaves nothing behind.
func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, text := range []string{"one", "two"} {
		if err := atomicfile.Write(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		info, statErr := os.Stat(path)
		if errors.Join(err, statErr) != nil || string(got) != text || info.Mode().Perm() != 0o640 {
			t.Errorf("%q, %v, %v", got, info, errors.Join(err, statErr))
		}
	}
	taken := filepath.Join(dir, "directory")
	if err := os.Mkdir(taken, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(taken, nil, 0o600); err == nil {
		t.Error("a directory was replaced")
	}
	if err := atomicfile.Write(filepath.Join(dir, "none", "f"), nil, 0o600); !errors.Is(atomicfile.Cause(err), fs.ErrNotExist) {
		t.Errorf("a directory that does not exist: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left are %v, %v", left, err)
	}
}
