//go:build !unix || solaris

package stdio

import "os"

func standardInput() (*stream, error) {
	return &stream{os.Stdin, func() error { return nil }}, nil
}

// standardOutput sets the variable os.Stdout, because this system cannot
// redirect descriptors. A copy of os.Stdout made earlier still reaches the
// client.
func standardOutput() (*stream, error) {
	out := os.Stdout      //nolint:forbidigo // for the protocol
	os.Stdout = os.Stderr //nolint:forbidigo // for other code
	restore := func() error {
		os.Stdout = out //nolint:forbidigo // the original value
		return nil
	}
	return &stream{out, restore}, nil
}
