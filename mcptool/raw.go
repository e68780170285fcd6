package mcptool

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/mcptool-go/mcptool/internal/callsite"
)

// NewRaw defines a tool from a schema written by hand and a func that decodes its arguments itself. The dialect of the
// schema is 2020-12, or draft-07 if "$schema" is set to that, and its root has "type":"object". The arguments are
// checked against the schema, but its defaults are not filled in. They are a copy, which belongs to the func.
//
// Some schemas that JSON Schema allows are mistakes here, because they cannot be what the author meant: a misspelt
// keyword or format, a keyword that the dialect does not have or that does not apply to the type beside it, bounds that
// no value meets, or a default, an example or an enum value that does not fit its own schema. Unknown keywords are
// allowed if they do not resemble a keyword of JSON Schema; your own should start with x-. The same applies to the
// options [InputSchema] and [OutputSchema]. The same mistakes in a schema of any server are reported by the profile
// AnyClient of package reflectschema/lint.
//
// Names of arguments match ^[a-zA-Z0-9_.-]{1,64}$, because the Anthropic API rejects all tools of a request otherwise.
//
// The error is a [*RegisterError] that lists every mistake.
func NewRaw(name string, inputSchema json.RawMessage, fn func(context.Context, json.RawMessage) (*Result, error), opts ...Option) (*Tool, error) {
	location := callerLocation()
	tool, mistakes := defineRaw(name, inputSchema, fn, opts, location)
	if err := newRegisterError(location, mistakes); err != nil {
		return nil, err
	}
	return tool, nil
}

// defineRaw builds the tool of a func that decodes its arguments itself.
func defineRaw(name string, schema json.RawMessage, fn func(context.Context, json.RawMessage) (*Result, error), opts []Option, location *callsite.Site) (*Tool, []Mistake) {
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
	coerce := d.coerce.pointer()
	return d.build(name, location, input, output, func(ctx context.Context, args, dst []byte) ([]byte, *Result, error) {
		args, err := fitArguments(ctx, name, input, args, coerce)
		if err != nil {
			return dst, nil, err
		}
		result, err := fn(ctx, bytes.Clone(args)) // the buffer of args is reused
		if err != nil {
			return dst, nil, authorError(err)
		}
		return finishResult(ctx, dst, name, result, output)
	})
}
