package mcptool

import (
	"context"
	"encoding/json"
)

// NewRaw defines a tool from a schema written by hand and a func that reads its
// arguments itself. The schema is 2020-12, or draft-07 when "$schema" says so, with
// "type":"object" at its root. The arguments have been checked against it; its
// defaults are not filled in. The func must not keep them after it returns.
//
// A schema is refused, too, where JSON Schema would let pass what nobody means: a misspelt
// keyword or format, a keyword that its dialect does not have or that says nothing about the type
// beside it, bounds that no value meets, a default, an
// example or a listed value that the schema it stands in refuses. Keywords unlike those of
// JSON Schema are let through; those of your own best start with x-. The same holds of the
// options [InputSchema] and [OutputSchema]. See [reflectschema.AnyClient].
//
// The error is as for [New].
func NewRaw(name string, inputSchema json.RawMessage, fn func(context.Context, json.RawMessage) (*Result, error), opts ...Option) (*Tool, error) {
	location := callerLocation()
	tool, mistakes := defineRaw(name, inputSchema, fn, opts, location)
	if err := newRegisterError(location, mistakes); err != nil {
		return nil, err
	}
	return tool, nil
}

// defineRaw builds the tool of a func that reads its arguments itself.
func defineRaw(name string, schema json.RawMessage, fn func(context.Context, json.RawMessage) (*Result, error), opts []Option, location string) (*Tool, []Mistake) {
	d := &definition{}
	set(d, &d.name, "the argument name", name)
	set(d, &d.inputSchema, "the argument inputSchema", string(schema))
	d.apply(opts)
	if fn == nil {
		d.mistake("the func is nil", "pass a func")
	}
	d.deriveName("")
	d.check()
	input := d.parseInput()
	output := d.parseOutput()
	return d.build(name, location, input, output, func(ctx context.Context, args, dst []byte) ([]byte, *Result, error) {
		if err := input.Check(args); err != nil {
			return dst, nil, &ArgumentError{Tool: name, Err: err}
		}
		result, err := fn(ctx, args)
		if err != nil {
			return dst, nil, authorError(err)
		}
		return finishResult(dst, name, result, output)
	})
}
