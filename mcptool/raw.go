package mcptool

import (
	"context"
	"encoding/json"
)

// NewRaw defines a tool from a schema written by hand and a func that decodes its arguments itself. The schema is
// 2020-12, or draft-07 if "$schema" says so, with "type":"object" at its root. The arguments are checked against it;
// its defaults are not filled in. The func must not keep them after it returns.
//
// A schema is also refused for what JSON Schema allows but nobody means: a misspelt keyword or format, a keyword that
// its dialect does not have or that does not apply to the type beside it, bounds that no value meets, or a default,
// an example or a listed value that its own schema refuses. Keywords unlike those of JSON Schema are allowed; your
// own should start with x-. The same applies to the options [InputSchema] and [OutputSchema]. See
// [reflectschema.AnyClient].
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
		if err := checks.Check(input, ctx, args); err != nil {
			return dst, nil, &ArgumentError{Tool: name, Err: err}
		}
		result, err := fn(ctx, args)
		if err != nil {
			return dst, nil, authorError(err)
		}
		return finishResult(ctx, dst, name, result, output)
	})
}
