package strangers

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// build builds the programs that are written in Go and returns the directory they are in.
func build(t *testing.T) string {
	t.Helper()
	here := benchDir(t)
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	sum := sha256.Sum256([]byte(here)) // another checkout is other programs
	dir := filepath.Join(cache, "mcptool-strangers", hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	defer lock(t, filepath.Join(dir, "lock"))()
	seen := map[string]bool{}
	for _, s := range stocks {
		if s.node || seen[s.program] {
			continue
		}
		seen[s.program] = true
		cmd := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, binary(s.program)), s.program)
		cmd.Dir = here
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s does not build: %v\n%s", s.program, err, out)
		}
	}
	return dir
}

// binary returns the name of the file that a program is built into.
func binary(program string) string {
	name := strings.NewReplacer("/", "-").Replace(program)
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return name
}

// benchDir returns the directory of the module that this package is in.
func benchDir(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/mcptool-go/mcptool/bench").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return strings.TrimSpace(string(out))
}
