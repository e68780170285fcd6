package mcptool

import "fmt"

// PublicError is an error whose text may be sent to the client; [Errorf] returns one. A server that masks errors
// ([github.com/mcptool-go/mcptool/runtime.Server]) sends the text of a func's error only if it is or wraps a
// PublicError, or an error of this package whose text is safe to send.
type PublicError struct{ err error }

// Errorf formats an error like [fmt.Errorf], including %w. The error is a [*PublicError]: its text is sent to the
// client even if the server masks errors. So the text should help the model to act and must not reveal anything
// internal. It includes the text of wrapped errors, so use %w only for errors that the client may read as well. If
// another error wraps a PublicError, a server that masks errors sends only the text of the PublicError.
//
//	return nil, mcptool.Errorf("there is no order %q; list_orders has them all", in.Order)
func Errorf(format string, args ...any) error {
	return &PublicError{err: fmt.Errorf(format, args...)}
}

// Error returns the text.
func (e *PublicError) Error() string { return e.err.Error() }

// Unwrap returns the error that [fmt.Errorf] made, which wraps the operands of %w.
func (e *PublicError) Unwrap() error { return e.err }
