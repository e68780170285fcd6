package mcptool

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// ArgumentError reports that the arguments of a call do not fit the tool or prompt, or that the variables of a URI do not
// fit the resource; the func has not run. Its text is written for the model that made the call: what was expected, what
// was given, and an example. It contains no Go types and is safe to send.
type ArgumentError struct {
	// Tool is the name of the tool or prompt, or the URI or template of the resource.
	Tool string
	// Err is the reason, usually a [*reflectschema.InvalidError].
	Err error
}

// Error returns the text for the model. Its first line begins with Tool.
func (e *ArgumentError) Error() string {
	text := e.Tool + ": invalid arguments"
	// Only errors of validation are written for models; other errors may contain Go types.
	if invalid, ok := errors.AsType[*reflectschema.InvalidError](e.Err); ok {
		text += "\n" + invalid.Error()
	}
	return text
}

// Unwrap returns Err.
func (e *ArgumentError) Unwrap() error { return e.Err }

// OutputError reports that the result of a func cannot be sent, because it does not fit the tool's own output schema,
// or breaks a rule of content or _meta. This is a mistake in the tool or in a [Middleware]. The text says which, with the
// field and the reason; it is for the log and must not be sent to a client.
type OutputError struct {
	// Tool is the name of the tool or prompt, or the URI or template of the resource.
	Tool string
	// Err is the reason.
	Err error

	middleware string // origin of the middleware that returned the result; "" if the func did
}

// Error returns the text for the log, on one line.
func (e *OutputError) Error() string {
	reason := strings.ReplaceAll(withoutExample(e.Err), "\n", "; ")
	if e.middleware != "" {
		return e.Tool + ": the middleware " + e.middleware + " returned a result that cannot be sent: " + reason + "; return the Result of next, or a copy with changes that fit"
	}
	return e.Tool + ": the result cannot be sent: " + reason
}

// Unwrap returns Err.
func (e *OutputError) Unwrap() error { return e.Err }

// outputError returns the error for a result that cannot be encoded. If the result is too long, that is not a mistake
// of the author: the server sets the limit.
func outputError(tool string, err error) error {
	if long, ok := errors.AsType[*private.TooLongError](err); ok {
		return long
	}
	return &OutputError{Tool: tool, Err: err}
}

// withoutExample returns the text of an error without the example, which only helps authors who write JSON by hand.
func withoutExample(err error) string {
	if invalid, ok := errors.AsType[*reflectschema.InvalidError](err); ok {
		err = &reflectschema.InvalidError{Violations: invalid.Violations, Total: invalid.Total}
	}
	return err.Error()
}

var (
	errNoStructured = errors.New("it has no Structured, although the tool has an output schema; set Structured, or IsError if the tool failed")
	errNoResult     = errors.New("it has no Structured because no result was returned (nil without an error), although the tool has an output schema; set Structured of a Result, or return an error")
	errNilOut       = errors.New("the func returned a nil pointer and no error")
)

// PanicError reports a panic of the func, of a [Middleware], of a func of [Go], or of a method that encodes a value in a [Result]. The
// process continues. The text and the stack are for the log and must not be sent to a client. If a method panics while
// arguments are decoded or a typed result is encoded, the error is an [*ArgumentError] or an [*OutputError] instead.
type PanicError struct {
	// Tool is the name of the tool or prompt, or the URI or template of the resource.
	Tool string
	// Value is the value that panic was called with.
	Value any
	// Stack is the stack trace of the goroutine, as formatted by [runtime/debug.Stack].
	Stack []byte
}

// Error returns the tool's name and the value of the panic, without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("%s: panic: %v", e.Tool, e.Value) }

// Unwrap returns the value of the panic if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Errorf formats an error like [fmt.Errorf], including %w, and makes it public: its text is sent to the client even if
// the server masks errors ([github.com/mcptool-go/mcptool/runtime.Server]). So the text should help the model to act and
// must not reveal anything internal. It includes the text of wrapped errors, so use %w only for errors that the client
// may read as well. If another error wraps the public one, a server that masks errors sends only the text of the public
// one.
//
//	return nil, mcptool.Errorf("there is no order %q; list_orders has them all", in.Order)
func Errorf(format string, args ...any) error {
	return &private.PublicError{Err: fmt.Errorf(format, args...)}
}
