package runtime

import (
	"fmt"

	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// The codes of an [Error] that the protocol defines.
const (
	// CodeInvalidParams says that the params do not fit the method.
	CodeInvalidParams = int(wire.CodeInvalidParams)
	// CodeResourceNotFound says that there is no resource of this URI. From revision 2026-07-28
	// on it is sent as [CodeInvalidParams], which took its place.
	CodeResourceNotFound = int(wire.CodeResourceNotFound)
)

// Error is a JSON-RPC error that a [Method] answers with instead of a result. Return a
// pointer to it; if it is wrapped, what wraps it is not sent.
type Error struct {
	// Code is one of those above, or one of the author's own outside of -32768 to -32000,
	// which JSON-RPC and the protocol keep for themselves. An error with any other code is
	// not sent: it is a mistake of the method, and logged.
	Code int
	// Message says what is wrong, in a sentence. It is sent on one line, cut at
	// [Limits.MaxTextBytes].
	Message string
	// Data tells programs more: any value that [reflectschema.AppendValue] encodes. Nil is nothing.
	Data any
}

// Error returns the message and the code.
func (e *Error) Error() string { return fmt.Sprintf("%s (code %d)", e.Message, e.Code) }
