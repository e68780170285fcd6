package repotest_test

import (
	"fmt"
	"os"
	"testing"
)

// benchDir is the directory in which benchProgram builds bench.
var benchDir string

// TestMain runs the tests in the root of the repository, so that all paths are relative to it.
func TestMain(m *testing.M) {
	code, err := runInRoot(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runInRoot(m *testing.M) (code int, err error) {
	if err := os.Chdir("../.."); err != nil {
		return 1, err
	}
	if benchDir, err = os.MkdirTemp("", "bench"); err != nil {
		return 1, err
	}
	defer func() {
		if removed := os.RemoveAll(benchDir); err == nil {
			err = removed
		}
	}()
	return m.Run(), nil
}
