package mcptool

import (
	"context"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// Coerce sets whether arguments of a wrong type are converted before they are checked, for models that write numbers or
// lists as text:
//
//   - a string to the number, boolean, array or object whose JSON text it is: "42" to 42, "[1,2]" to [1,2]
//   - a value to an array with this one element: "a" to ["a"]
//
// Only values of a type that the schema does not allow are converted, also within objects and arrays, and only if there
// is one way: a string with the text ["a"], for a list of strings, could be that list or its only element, and is an
// error. If the converted arguments are not valid, the error describes the original ones. The schema that clients get
// does not change. The audit log of a server ([github.com/mcptool-go/mcptool/runtime.Server]) has the locations of
// converted arguments.
//
// The default is the Coerce of the server, which is false by default. It is false for [Tool.Call] without a server. In the
// tag it is coerce.
func Coerce(yes bool) Option {
	return option(func(d *definition) { set(d, &d.coerce, "the option Coerce", yes) })
}

// Coerce returns the value of the option [Coerce]; nil means that the server decides.
func (t *Tool) Coerce() *bool {
	if t.coerce == nil {
		return nil
	}
	return new(*t.coerce)
}

// fitArguments returns arguments that fit the schema, or an [*ArgumentError].
func fitArguments(ctx context.Context, tool string, input *reflectschema.Schema, args []byte, coerce *bool) ([]byte, error) {
	leave, err := callctx.Enter(ctx, len(args), schemas.CheckCostOf(input))
	defer leave()
	if err != nil {
		return nil, err
	}
	fit, coerced, err := schemas.CheckArguments(ctx, input, args, coerce)
	if err != nil {
		return nil, &ArgumentError{Tool: tool, Err: err}
	}
	if len(coerced) > 0 {
		recordCoerced(ctx, tool, coerced)
	}
	return fit, nil
}

// recordCoerced passes the locations of converted arguments to the server.
func recordCoerced(ctx context.Context, tool string, locations []string) {
	if server := callctx.Of(ctx).Server; server != nil {
		server.RecordCoerced(tool, locations)
	}
}
