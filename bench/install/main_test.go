package install

import (
	"fmt"
	"os"
	"testing"
)

// TestMain gives the tests a separate cache directory for the locks, shared with the processes that they start.
func TestMain(m *testing.M) {
	const variable = "MCPTOOL_INSTALL_TEST_CACHE"
	if os.Getenv(variable) != "" {
		os.Exit(m.Run())
	}
	cache, err := os.MkdirTemp("", "install")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, name := range []string{variable, "HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		_ = os.Setenv(name, cache)
	}
	code := m.Run()
	_ = os.RemoveAll(cache)
	os.Exit(code)
}
