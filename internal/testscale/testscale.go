// Package testscale lets tests of generated inputs run longer than they do in the gate:
//
//	MCPTOOL_TEST_SCALE=100 go test ./reflectschema ./internal/compat
package testscale

import (
	"os"
	"strconv"
)

// Count returns how many inputs a test should generate: n times the integer in the environment variable
// MCPTOOL_TEST_SCALE, which is 1 if it is unset or no positive integer.
func Count(n int) int {
	if scale, err := strconv.Atoi(os.Getenv("MCPTOOL_TEST_SCALE")); err == nil && scale > 0 {
		return n * scale
	}
	return n
}
