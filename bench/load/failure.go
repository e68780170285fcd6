package load

import (
	"errors"
	"fmt"
)

// A Kind says at which level a call failed.
type Kind string

// The kinds of failures, from the one that is nearest to the tool.
const (
	// ToolError is a result with isError: the tool ran, and says that it could not do it.
	ToolError Kind = "isError"
	// ProtocolError is a JSON-RPC error, or an answer that is no complete result.
	ProtocolError Kind = "protocol"
	// TransportError is no answer: the connection broke, or the time limit passed.
	TransportError Kind = "transport"
)

// Kinds returns all kinds, in the order in which they are shown.
func Kinds() []Kind { return []Kind{ToolError, ProtocolError, TransportError} }

// A CallError is a call that failed in a way that is known.
type CallError struct {
	Kind Kind
	Text string // what the server said, or what happened
}

// Error says what happened, and at which level.
func (f *CallError) Error() string { return fmt.Sprintf("%s: %s", f.Kind, f.Text) }

// asCallError returns an error as what it is counted as. One of a kind that nobody knows
// comes from the way to the server.
func asCallError(err error) *CallError {
	if f, ok := errors.AsType[*CallError](err); ok {
		return f
	}
	return &CallError{TransportError, err.Error()}
}
