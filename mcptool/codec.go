package mcptool

import (
	"context"
	"reflect"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// codec decodes JSON into the func's argument and encodes its result as JSON or a [Result]. It separates the generic
// edge from the code that has no static types.
type codec struct {
	tool   string
	coerce *bool // nil if the server decides, see [Coerce]

	in    *reflectschema.Type
	inPtr bool // In is a pointer to what in decodes

	shape  outShape
	out    *reflectschema.Type // for outJSON
	outPtr bool                // Out is a pointer to what out encodes
	part   structuredPart      // for outResult

	render renderer // of a prompt or resource; nil for a tool, and for a resource that is sent as JSON
}

// decode fills in, which is settable and of the func's argument type.
func (c *codec) decode(ctx context.Context, args []byte, in reflect.Value) error {
	if c.inPtr {
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
		return &ArgumentError{Tool: c.tool, Err: err}
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

// encode turns the func's result, addressable and of its result type, into the results of Call of [internals]. Results
// are often as long as the arguments, args.
func (c *codec) encode(ctx context.Context, args, dst []byte, out reflect.Value) ([]byte, *Result, error) {
	if c.render != nil {
		rest, err := c.render(ctx, out)
		return dst, rest, err
	}
	switch c.shape {
	case outResult:
		r, _ := reflect.TypeAssert[*Result](out)
		return finishResult(ctx, dst, c.tool, r, c.part)
	case outContent:
		block := asContent(out)
		if isNil(block) {
			return dst, nil, nil
		}
		return finishResult(ctx, dst, c.tool, &Result{Content: []Content{block}}, structuredPart{})
	case outContents:
		blocks := make([]Content, out.Len())
		for i := range blocks {
			blocks[i] = asContent(out.Index(i))
		}
		return finishResult(ctx, dst, c.tool, &Result{Content: blocks}, structuredPart{})
	default:
		dst, err := c.encodeJSON(ctx, args, dst, out)
		return dst, nil, err
	}
}

// encodeJSON writes the func's result once, checked on the way.
func (c *codec) encodeJSON(ctx context.Context, args, dst []byte, out reflect.Value) ([]byte, error) {
	if c.outPtr {
		if out.IsNil() {
			return dst, &OutputError{Tool: c.tool, Err: errNilOut}
		}
		out = out.Elem()
	}
	isResponse := dst != nil // and otherwise the result of Tool.Call
	if dst == nil {
		dst = make([]byte, 0, resultSize)
	}
	dst, err := schemas.AppendEncode(ctx, c.out, dst, out, len(args), isResponse)
	if err != nil {
		return dst, outputError(c.tool, err)
	}
	return dst, nil
}

// callsMethods reports whether decode or encode may call methods of the author's types, which could
// keep the pointers that they are called on.
func (c *codec) callsMethods() bool {
	return schemas.CallsMethods(c.in) || c.out != nil && schemas.CallsMethods(c.out)
}

// resultSize is the room a result is begun with: most fit, and none grows from nothing.
const resultSize = 256

// asContent returns the block in a value of a type that isBlock accepts.
func asContent(v reflect.Value) Content {
	c, _ := v.Interface().(Content)
	return c
}
