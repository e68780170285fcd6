package private

import (
	"context"
	"fmt"
	"time"
)

// Key is the parameter of the function Internal of a package. Programs cannot import this package, so they cannot
// name the type; a generic function that infers it can still make a value, which nobody does by accident.
type Key struct {
	_ [0]func() // otherwise a struct{}{} would be assignable
}

// ContentForm has the members that a revision supports in all types of content.
type ContentForm struct {
	Revision     string
	Meta         bool // _meta
	Icons        bool
	LastModified bool // in annotations
}

// TaskForbidden is the mcptool.TaskSupport of tools whose calls never run as tasks.
const TaskForbidden = "forbidden"

// ParamHeader is an argument that clients of revision 2026-07-28 and later also send as an HTTP header. It is a property
// with "x-mcp-header" in the input schema.
type ParamHeader struct {
	// Name is the name in the schema; the header is Mcp-Param-Name.
	Name string
	// Path has the names of the properties that lead to the argument.
	Path []string
}

// TypeMistake is one reason why a Go type cannot be compiled: a mistake in a struct tag, or a type that JSON cannot represent.
type TypeMistake struct {
	Type   string // Go type with the mistake: "main.WeatherIn"
	Path   string // location in the JSON: "items[].qty"; "" for the root
	Field  string // Go field: "Quantity"; "" if the mistake is in the type itself
	Tag    string // tag, or part of it, with the mistake; "" if it is not in a tag
	Reason string // what is wrong
	Fix    string // what to write instead; "" if that is not known
}

// PromptArgument describes an argument of a prompt, as clients show it in their form. Title and Description are "" if unset.
type PromptArgument struct {
	Name        string
	Title       string
	Description string
	Required    bool
}

// TimeoutError reports that a call ran longer than its limit. Its text is written for the model and safe to send.
// [errors.Is] reports that it is a [context.DeadlineExceeded].
type TimeoutError struct {
	Tool  string        // name of the tool or prompt, or the URI or template of the resource
	Limit time.Duration // how long a call may run
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("the tool ran longer than its limit of %s", e.Limit)
}

// Is reports whether target is [context.DeadlineExceeded].
func (e *TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// PublicError is an error whose text may be sent to the client.
type PublicError struct{ Err error }

func (e *PublicError) Error() string { return e.Err.Error() }

func (e *PublicError) Unwrap() error { return e.Err }

// TooLongError means that a value was not encoded completely, because its JSON has more than Most bytes.
type TooLongError struct{ Most int }

func (e *TooLongError) Error() string {
	return fmt.Sprintf("the result has more than %d bytes of JSON", e.Most)
}
