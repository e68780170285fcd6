package mcptool

import "fmt"

// PublicError is an error whose text its author has meant for the client. [Errorf] makes one. Of a server that
// masks errors ([github.com/mcptool-go/mcptool/runtime.Server]) only these are read by models.
type PublicError struct{ err error }

// Errorf is [fmt.Errorf], with %w, for errors whose text is for the client to read, also if the server masks
// errors: what the model can do something about, in words that give nothing away. The text of what it wraps becomes
// part of it, so wrap with %w only what may be read, too. When other errors wrap it, its own text is what
// a server that masks errors sends.
//
//	return nil, mcptool.Errorf("there is no order %q; list_orders has them all", in.Order)
func Errorf(format string, args ...any) error {
	return &PublicError{err: fmt.Errorf(format, args...)}
}

// Error returns the text.
func (e *PublicError) Error() string { return e.err.Error() }

// Unwrap returns what the verbs have made of it, which wraps what %w has wrapped.
func (e *PublicError) Unwrap() error { return e.err }
