package mcptool

import (
	"context"
	"errors"
	"reflect"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// codec decodes JSON into the func's argument and encodes its result as JSON or a [Result]. It separates the generic
// edge from the code that has no static types.
type codec struct {
	tool   string
	coerce *bool // nil if the server decides, see [Coerce]

	in *reflectschema.Type // of In, or of the type that it points to

	shape outShape
	out   structuredPart // for outJSON of Out, or of the type that it points to

	render renderer // of a prompt or resource; nil for a tool, and for a resource that is sent as JSON
}

// renderer turns the value that a func has returned, which is addressable, into the result of a prompt or resource.
type renderer func(ctx context.Context, out reflect.Value) (*Result, error)

// decode fills in, which is settable and of the func's argument type.
func (c *codec) decode(ctx context.Context, args []byte, in reflect.Value) error {
	if in.Kind() == reflect.Pointer {
		in.Set(reflect.New(in.Type().Elem()))
		in = in.Elem()
	}
	leave, err := callctx.Enter(ctx, len(args), schemas.CheckCost(c.in))
	defer leave()
	if err != nil {
		return err
	}
	size, coerced, err := schemas.DecodeArguments(ctx, c.in, args, in, c.coerce)
	if err != nil {
		return argumentError(ctx, c.tool, err)
	}
	if len(coerced) > 0 {
		recordCoerced(ctx, c.tool, coerced)
	}
	if size > freeArguments {
		return reserve(ctx, size)
	}
	return nil
}

// freeArguments is how many bytes decoded arguments may take without counting as memory of the caller. A call takes more
// anyway, and counting would make small calls slower.
const freeArguments = 16 << 10

// reserve reserves memory for the request in ctx, until the request is answered. Without a server, memory is not limited.
func reserve(ctx context.Context, bytes int) error {
	if server := callctx.Of(ctx).Server; server != nil {
		return server.Reserve(bytes)
	}
	return nil
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
		return nil, argumentError(ctx, tool, err)
	}
	if len(coerced) > 0 {
		recordCoerced(ctx, tool, coerced)
	}
	return fit, nil
}

// argumentError returns the error for arguments that were not accepted: an [*ArgumentError], or the error of the context
// if it ended before the arguments were checked.
func argumentError(ctx context.Context, tool string, err error) error {
	if ended := ctx.Err(); ended != nil && errors.Is(err, ended) {
		return ended
	}
	return &ArgumentError{Tool: tool, Err: err}
}

// recordCoerced passes the locations of converted arguments to the server.
func recordCoerced(ctx context.Context, tool string, locations []string) {
	if server := callctx.Of(ctx).Server; server != nil {
		server.RecordCoerced(tool, locations)
	}
}

// encode turns the func's result, addressable and of its result type, into the results of Call of [internals]. Results
// are often as long as the arguments, args.
func (c *codec) encode(ctx context.Context, args, dst []byte, out reflect.Value) ([]byte, *Result, error) {
	if c.render != nil {
		rest, err := c.render(ctx, out)
		return dst, rest, err
	}
	var result *Result
	switch c.shape {
	case outJSON:
		dst, err := c.encodeJSON(ctx, args, dst, out)
		return dst, nil, err
	case outResult:
		result, _ = reflect.TypeAssert[*Result](out)
	case outContent:
		if block, _ := reflect.TypeAssert[Content](out); !isNil(block) {
			result = &Result{Content: []Content{block}}
		}
	case outContents:
		result = &Result{Content: make([]Content, out.Len())}
		for i := range result.Content {
			result.Content[i], _ = reflect.TypeAssert[Content](out.Index(i))
		}
	}
	return finishResult(ctx, dst, c.tool, result, c.out)
}

// encodeJSON writes the func's result once, checked on the way.
func (c *codec) encodeJSON(ctx context.Context, args, dst []byte, out reflect.Value) ([]byte, error) {
	if out.Kind() == reflect.Pointer {
		if out.IsNil() {
			return dst, &OutputError{Tool: c.tool, Err: errNilOut}
		}
		out = out.Elem()
	}
	isResponse := dst != nil // and otherwise the result of Tool.Call
	if dst == nil {
		dst = make([]byte, 0, resultSize)
	}
	dst, err := schemas.AppendEncode(ctx, c.out.compiled, dst, out, len(args), isResponse)
	if err != nil {
		return dst, outputError(c.tool, err)
	}
	return dst, nil
}

// callsMethods reports whether decode or encode may call methods of the author's types, which could
// keep the pointers that they are called on.
func (c *codec) callsMethods() bool {
	return schemas.CallsMethods(c.in) || c.out.compiled != nil && schemas.CallsMethods(c.out.compiled)
}

// resultSize is the room a result is begun with: most fit, and none grows from nothing.
const resultSize = 256
