//go:build !unix

package stdio_test

// printWithoutPrint has nothing to do: the descriptor is not guarded here.
func printWithoutPrint() error { return nil }
