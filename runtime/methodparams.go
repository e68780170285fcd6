package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
)

// Typed makes a [Method.Handle] of a func that takes the params decoded and returns a Go
// value. They are decoded as package encoding/json does it, but names are exact; members
// that In does not have are ignored, and those the client left out keep their zero value. Params
// that do not fit are answered with [CodeInvalidParams], and fn does not run.
func Typed[In, Out any](fn func(context.Context, In) (Out, error)) func(context.Context, json.RawMessage) (any, error) {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		var in In
		if err := jsonv2.Unmarshal(params, &in); err != nil {
			return nil, &Error{Code: CodeInvalidParams, Message: misfit(err)}
		}
		out, err := fn(ctx, in)
		if err != nil {
			return nil, err // without out, which need not be fit to be sent
		}
		return out, nil
	}
}

// misfit says which member of params does not fit, and nothing of Go.
func misfit(err error) string {
	path := "params"
	if at, ok := errors.AsType[*jsonv2.SemanticError](err); ok {
		for name := range at.JSONPointer.Tokens() {
			path += "." + name
		}
	}
	return strings.ToValidUTF8(path, "\ufffd") + " does not fit the method"
}
