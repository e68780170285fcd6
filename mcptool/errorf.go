package mcptool

import "fmt"

// PublicError is an error whose text is meant for the client. [Errorf] makes one. A server that masks errors
// ([github.com/mcptool-go/mcptool/runtime.Server]) sends only these errors of a func as they are.
type PublicError struct{ err error }

// Errorf is [fmt.Errorf], with %w, for errors whose text the client may read, even if the server masks errors: what
// the model can act on, in words that reveal nothing internal. The text of a wrapped error becomes part of it, so use
// %w only for errors that the client may read too. If other errors wrap it, a server that masks errors sends only its
// own text.
//
//	return nil, mcptool.Errorf("there is no order %q; list_orders has them all", in.Order)
func Errorf(format string, args ...any) error {
	return &PublicError{err: fmt.Errorf(format, args...)}
}

// Error returns the text.
func (e *PublicError) Error() string { return e.err.Error() }

// Unwrap returns the error of [fmt.Errorf], which wraps the errors given for %w.
func (e *PublicError) Unwrap() error { return e.err }
