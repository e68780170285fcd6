//go:build !unix || solaris

package stdio

import "os"

func standardInput() (*stream, error) {
	return &stream{os.Stdin, func() error { return nil }}, nil
}

// standardOutput swaps variables, which is all there is without descriptors to
// move: a copy of os.Stdout made earlier still reaches the client.
func standardOutput() (*stream, error) {
	out := os.Stdout      //nolint:forbidigo // kept for the protocol
	os.Stdout = os.Stderr //nolint:forbidigo // the point of the guard
	restore := func() error {
		os.Stdout = out //nolint:forbidigo // as it was
		return nil
	}
	return &stream{out, restore}, nil
}
