package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcptool-go/mcptool/internal/processor"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// Typed makes a [Method.Handle] of a func that takes the params decoded and returns a Go
// value. They are decoded by [reflectschema.UnmarshalLenient]: names are exact; members that In does not have
// are ignored, and those that the client left out, or sent as null, have their default, or are zero. Params that do not fit are
// answered with [CodeInvalidParams], and fn does not run. The result is encoded as Out, by
// [reflectschema.AppendValue].
//
// An In or Out that has no JSON fails every request before fn runs: the client gets a reference, and
// the log says why.
func Typed[In, Out any](fn func(context.Context, In) (Out, error)) func(context.Context, json.RawMessage) (any, error) {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		if _, err := reflectschema.CompileFor[Out](reflectschema.Options{Direction: reflectschema.Output}); err != nil {
			return nil, fmt.Errorf("the method's result: %w", err)
		}
		turn, err := processor.CallerIn(ctx).Begin(len(params))
		if err != nil {
			return nil, err
		}
		in, err := reflectschema.UnmarshalLenient[In](params)
		turn.End()
		if invalid, ok := errors.AsType[*reflectschema.InvalidError](err); ok {
			return nil, &Error{Code: CodeInvalidParams, Message: misfit(invalid)}
		}
		if err != nil {
			return nil, fmt.Errorf("the method's params: %w", err)
		}
		out, err := fn(ctx, in)
		if err != nil {
			return nil, err // without out, which need not be fit to be sent
		}
		var zero Out
		if any(zero) == nil {
			return &out, nil // an interface: a union is written by its type, which is lost in an any
		}
		return out, nil
	}
}

// misfit says which member of params does not fit, and nothing of Go.
func misfit(invalid *reflectschema.InvalidError) string {
	path := "params"
	if at := invalid.Violations[0].Path; at != "" && at[0] == '[' {
		path += at
	} else if at != "" {
		path += "." + at
	}
	return strings.ToValidUTF8(path, "\ufffd") + " does not fit the method"
}
