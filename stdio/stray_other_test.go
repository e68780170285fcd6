//go:build !unix

package stdio_test

// printWithoutPrint does nothing: the descriptor is not guarded on this platform.
func printWithoutPrint() error { return nil }
