package runtime

import (
	"fmt"

	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// Codes of an [Error] that the protocol defines for custom methods.
const (
	// CodeInvalidParams is -32602. It means that the params are not valid for the method.
	CodeInvalidParams = int(wire.CodeInvalidParams)
	// CodeResourceNotFound is -32002. It means that a resource with this URI does not exist. To clients of revision
	// 2026-07-28 and later it is sent as [CodeInvalidParams], which replaces it.
	CodeResourceNotFound = int(wire.CodeResourceNotFound)
)

// Error is a JSON-RPC error that the Handle of a [Method] returns instead of a result. Return a pointer to it. If it is
// wrapped, only the Error is sent.
type Error struct {
	// Code is [CodeInvalidParams], [CodeResourceNotFound], or a code outside of the range -32768 to -32000, which
	// JSON-RPC and the protocol reserve. An error with any other code is not sent: it is a mistake of the method, and
	// logged.
	Code int
	// Message describes the error in a sentence. It is sent on one line of at most 4 KiB.
	Message string
	// Data is additional information for programs: any value that [reflectschema.AppendValue] encodes. Nil means none.
	Data any
}

// Error returns the message with the code.
func (e *Error) Error() string { return fmt.Sprintf("%s (code %d)", e.Message, e.Code) }
