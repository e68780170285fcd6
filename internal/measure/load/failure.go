package load

import (
	"errors"
	"fmt"
)

// A Kind is the level at which a call failed.
type Kind string

// Kinds of failures, starting with the one closest to the tool.
const (
	// ToolError is a result with isError: the tool ran and failed.
	ToolError Kind = "isError"
	// ProtocolError is a JSON-RPC error, or a response without a complete result.
	ProtocolError Kind = "protocol"
	// TransportError is a missing response: the connection broke, or the call timed out.
	TransportError Kind = "transport"
)

// Kinds returns all kinds in display order.
func Kinds() []Kind { return []Kind{ToolError, ProtocolError, TransportError} }

// A CallError is a call that failed with a known kind.
type CallError struct {
	Kind Kind
	Text string // the error text of the server, or the cause
}

// Error returns the kind and the text.
func (f *CallError) Error() string { return fmt.Sprintf("%s: %s", f.Kind, f.Text) }

// asCallError converts an error to a CallError. Other errors count as transport errors.
func asCallError(err error) *CallError {
	if f, ok := errors.AsType[*CallError](err); ok {
		return f
	}
	return &CallError{TransportError, err.Error()}
}
