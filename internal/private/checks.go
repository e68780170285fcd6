package private

import (
	"context"
	"fmt"
)

// Checks are Type.Decode for arguments, Type.AppendEncode and Schema.Check in a call: if it is long, their work waits for the turn of the
// caller in ctx (package processor). If ctx ends before, the error is that of ctx. T is *reflectschema.Type,
// S is *reflectschema.Schema, V is reflect.Value.
type Checks[T, S, V any] struct {
	// DecodeArguments takes a value that can be set, is of the Go type, and is zero; size is about how many bytes it takes
	// afterwards. Null for an optional member that must not be null counts as absent. If coerce is true, or nil and the
	// server coerces ([callctx.Coercion]), values of a wrong type are converted as [mcptool.Coerce] documents, and coerced
	// are their locations. If that does not make the arguments valid, the error is about the original ones.
	DecodeArguments func(t T, ctx context.Context, data []byte, dst V, coerce *bool) (size int, coerced []string, err error)
	// CheckArguments is the same without a Go type. It returns the arguments to use.
	CheckArguments func(schema S, ctx context.Context, data []byte, coerce *bool) (fit []byte, coerced []string, err error)
	// Append cannot know how much it will write, so it is told the size, in bytes, of a text that is likely to be about as
	// long. What it writes has at most as many bytes as the context says ([callctx.Encoding]); it stops where it would have
	// more, and the error is a [*TooLongError]. If dst is not nil, it is the answer of the call in ctx, and the turn is that
	// of the answer; otherwise the turn ends with Append.
	Append func(t T, ctx context.Context, dst []byte, v V, size int) ([]byte, error)
	Check  func(schema S, ctx context.Context, data []byte) error
}

// TooLongError says that a value was not encoded to its end, because its JSON has more than Most bytes.
type TooLongError struct{ Most int }

func (e *TooLongError) Error() string {
	return fmt.Sprintf("the result has more than %d bytes of JSON", e.Most)
}
