package mcptool

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/mcptool-go/mcptool/internal/callsite"
)

// Register defines a tool from a func, as [New] does, and adds it to [Default]. It is meant for the start of a program,
// and panics with a [*RegisterError] that lists every mistake, with the file:line of the call.
func Register[In, Out any](fn func(context.Context, In) (Out, error), opts ...ToolOption) {
	location := callerLocation()
	tool, mistakes := define(erase(fn), opts, location)
	mustAdd(location, tool, mistakes)
}

// New defines a tool from a func. The arguments are decoded into a value of type In: a struct, a pointer to one, a
// map[string]T, or struct{} for no arguments. Out is any type with a JSON form; its values become [Result.Structured], and
// the text that the model reads is their JSON. If Out is a string type without JSON or text methods, the text is the string
// itself. Clients of the revisions 2025-06-18 and 2025-11-25, which require an object, get a value that is none as the
// member "result" of one; the text is the same in every revision. An Out of struct{} is an empty object, and a pointer means the type that it points to. If Out is [Content], a type of
// content, a slice of these, or *[Result], its values are sent as they are. The schemas are derived from both types and
// their tags; an Out of any has no schema.
//
// The error is a [*RegisterError] that lists every mistake in the signature, the types, the tags, the name and the
// options.
func New[In, Out any](fn func(context.Context, In) (Out, error), opts ...ToolOption) (*Tool, error) {
	location := callerLocation()
	tool, mistakes := define(erase(fn), opts, location)
	return defined(location, tool, mistakes)
}

// mustAdd adds an item to [Default], or [Tools] all or none. It panics with the mistakes, and with conflicts of names.
func mustAdd(location *callsite.Site, item Item, mistakes []Mistake) {
	if len(mistakes) == 0 {
		mistakes = Default.addItems([]Item{item}, false)
	} else {
		b, _ := newBatch([]Item{item})
		Default.change(func() { mistakes = append(mistakes, clashes(Default.tools.items, b.tools)...) })
	}
	if err := newRegisterError(location, mistakes); err != nil {
		panic(err) //nolint:forbidigo // Register is for package level and main, where an error could not be handled
	}
}

// NewRaw defines a tool from a schema written by hand and a func that decodes its arguments itself. The dialect of the
// schema is 2020-12, or draft-07 if "$schema" is set to that, and its root has "type":"object". The arguments are
// checked against the schema, but its defaults are not filled in. They are a copy, which belongs to the func.
//
// Some schemas that JSON Schema allows are mistakes here, because they cannot be what the author meant: a misspelt
// keyword or format, a keyword that the dialect does not have or that does not apply to the type beside it, a nullable of
// OpenAPI 3.0 where null is invalid, bounds that no value meets, or a default, an example or an enum value that does not
// fit its own schema. Unknown keywords are allowed if they do not resemble a keyword of JSON Schema; your own should
// start with x-. The same applies to the options [InputSchema] and [OutputSchema]. The same mistakes in a schema of any
// server are reported by the profile AnyClient of package reflectschema/lint.
//
// Names of arguments match ^[a-zA-Z0-9_.-]{1,64}$, because the Anthropic API rejects all tools of a request otherwise.
//
// If somebody else wrote the schema, as for a gateway, [LogSchemaMistakes] logs these mistakes instead.
//
// The error is a [*RegisterError] that lists every mistake.
func NewRaw(name string, inputSchema json.RawMessage, fn func(context.Context, json.RawMessage) (*Result, error), opts ...ToolOption) (*Tool, error) {
	location := callerLocation()
	tool, mistakes := defineRaw(name, inputSchema, fn, opts, location)
	return defined(location, tool, mistakes)
}

// defineRaw builds the tool of a func that decodes its arguments itself.
func defineRaw(name string, schema json.RawMessage, fn func(context.Context, json.RawMessage) (*Result, error), opts []ToolOption, location *callsite.Site) (*Tool, []Mistake) {
	d := &definition{}
	set(d, &d.Name, "the argument name", name)
	set(d, &d.inputSchema, "the argument inputSchema", string(schema))
	apply(d, opts, ToolOption.applyToTool)
	if fn == nil {
		d.mistake("the func is nil", "pass a func")
	}
	d.deriveName("")
	name = d.Name
	d.check()
	input := d.parseInput()
	output := d.parseOutput()
	coerce := d.Coerce
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
