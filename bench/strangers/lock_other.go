//go:build !unix

package strangers

import "testing"

func lock(*testing.T, string) func() { return func() {} }
