package thirdparty_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// benchPackage is the command under test.
const benchPackage = "github.com/mcptool-go/mcptool/bench"

// buildAll builds bench and the servers written in Go, once, and returns their directory.
var buildAll = sync.OnceValues(func() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	sum := sha256.Sum256([]byte(here)) // the programs of another checkout differ
	dir := filepath.Join(cache, "mcptool-thirdparty", hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(dir, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	programs := map[string]bool{benchPackage: true}
	for i := range servers {
		if !servers[i].node {
			programs[servers[i].program] = true
		}
	}
	for program := range programs {
		if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, binary(program)), program).CombinedOutput(); err != nil {
			return "", errors.New(program + " does not build: " + err.Error() + "\n" + string(out))
		}
	}
	return dir, nil
})

// programPath returns the path of the program built from a package.
func programPath(t *testing.T, program string) string {
	t.Helper()
	dir, err := buildAll()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, binary(program))
}

// binary returns the name of the file of a program.
func binary(program string) string {
	name := strings.ReplaceAll(program, "/", "-")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return name
}

// runBench runs bench without a terminal and returns its exit code and output.
func runBench(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), programPath(t, benchPackage), args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	exit := (*exec.ExitError)(nil)
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}
