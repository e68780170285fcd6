package taskengine

import (
	"context"
	"errors"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/task"
)

// Request is a request about tasks.
type Request interface {
	// Context returns the context for methods of the store.
	Context() context.Context
	// Version returns the revision, Params the params, and Owner the caller, whose tasks the request concerns.
	Version() wire.Version
	Params() *envelope.Params
	Owner() task.Owner
	// Record returns the record of the task in the params.
	Record() *task.Record
	// Owns reports whether the caller may see a task.
	Owns(r *task.Record) bool
	// AppendTail ends the result object. Meta contains members of _meta, without braces.
	AppendTail(dst, meta []byte) []byte
}

// RequestError is an error that answers a request about tasks, or a call that cannot be a task.
type RequestError struct {
	Answer      wire.Error
	Disposition engine.Disposition
	Outcome     observe.Outcome // for observers
}

// Error returns the message for the client.
func (e *RequestError) Error() string { return e.Answer.Message }

// ErrBadCursor refuses a cursor that is not valid.
var ErrBadCursor = errors.New("the cursor is invalid")
