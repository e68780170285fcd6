// Package testscale lets tests of generated inputs run longer than they do by default, and marks those that only run at
// night:
//
//	MCPTOOL_TEST_SCALE=100 go test ./reflectschema ./internal/compat
//	MCPTOOL_TEST_NIGHTLY=1 go test ./internal/hostile/worst
package testscale

import (
	"os"
	"strconv"
	"testing"
)

// Count returns how many inputs a test should generate: n times the integer in the environment variable
// MCPTOOL_TEST_SCALE, which is 1 if it is unset or no positive integer.
func Count(n int) int {
	if scale, err := strconv.Atoi(os.Getenv("MCPTOOL_TEST_SCALE")); err == nil && scale > 0 {
		return n * scale
	}
	return n
}

// Short returns n, or a tenth of n with -short. The gate uses -short where it runs tests a second time, under the race
// detector, which makes them up to twenty times slower.
func Short(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// Nightly skips a test that takes long, unless the environment variable MCPTOOL_TEST_NIGHTLY is set, as in make nightly.
func Nightly(tb testing.TB) {
	tb.Helper()
	if !IsNightly() {
		tb.Skip("takes long; set MCPTOOL_TEST_NIGHTLY=1")
	}
}

// IsNightly reports whether the environment variable MCPTOOL_TEST_NIGHTLY is set.
func IsNightly() bool { return os.Getenv("MCPTOOL_TEST_NIGHTLY") != "" }
