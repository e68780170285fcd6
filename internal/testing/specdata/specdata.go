// Package specdata finds the official data that tests compare with: the protocol's schemas and numbered requirements, and
// the JSON Schema test suite. It is not part of the repository. Only tests import this package.
package specdata

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// variable is the environment variable that names the directory of the data. The default is the directory shared beside
// the checkout.
const variable = "MCPTOOL_SHARED"

// Path returns the path of a file or directory of the data, which may not exist.
func Path(elem ...string) string {
	dir := os.Getenv(variable)
	if dir == "" {
		_, file, _, _ := runtime.Caller(0)
		dir = filepath.Join(filepath.Dir(file), "..", "..", "..", "..", "shared")
	}
	return filepath.Join(append([]string{dir}, elem...)...)
}

// Require is like [Path], and skips the test if there is no such file or directory.
func Require(tb testing.TB, elem ...string) string {
	tb.Helper()
	path := Path(elem...)
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("no official data: %v; set %s to the directory that has it", err, variable)
	}
	return path
}
