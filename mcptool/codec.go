package mcptool

import (
	"encoding/json"
	"reflect"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// codec turns JSON into the func's argument and its result into a [Result]. It
// stands between the generic edge and everything that knows no types.
type codec struct {
	tool string

	in    *reflectschema.Type
	inPtr bool // In is a pointer to what in decodes

	shape     outShape
	out       *reflectschema.Type   // for outJSON
	outPtr    bool                  // Out is a pointer to what out encodes
	outSchema *reflectschema.Schema // for outResult, nil if none
}

// decode fills in, which is settable and of the func's argument type.
func (c *codec) decode(args []byte, in reflect.Value) error {
	if c.inPtr {
		in.Set(reflect.New(in.Type().Elem()))
		in = in.Elem()
	}
	if err := c.in.Decode(args, in); err != nil {
		return &ArgumentError{Tool: c.tool, Err: err}
	}
	return nil
}

// encode turns the func's result, addressable and of its result type, into a Result.
func (c *codec) encode(out reflect.Value) (*Result, error) {
	switch c.shape {
	case outResult:
		r, _ := reflect.TypeAssert[*Result](out)
		return finishResult(c.tool, r, c.outSchema)
	case outContent:
		block := asContent(out)
		if isNil(block) {
			return &Result{}, nil
		}
		return finishResult(c.tool, &Result{Content: []Content{block}}, nil)
	case outContents:
		blocks := make([]Content, out.Len())
		for i := range blocks {
			blocks[i] = asContent(out.Index(i))
		}
		return finishResult(c.tool, &Result{Content: blocks}, nil)
	default:
		return c.encodeJSON(out)
	}
}

// encodeJSON writes the func's result once, checked on the way.
func (c *codec) encodeJSON(out reflect.Value) (*Result, error) {
	if c.outPtr {
		if out.IsNil() {
			return nil, &OutputError{Tool: c.tool, Err: errNilOut}
		}
		out = out.Elem()
	}
	raw, err := c.out.AppendEncode(make([]byte, 0, resultSize), out)
	if err != nil {
		return nil, &OutputError{Tool: c.tool, Err: err}
	}
	return &Result{Structured: json.RawMessage(raw)}, nil
}

// resultSize is the room a result is begun with: most fit, and none grows from nothing.
const resultSize = 256

// asContent returns the block in a value whose type is one of [blockTypes].
func asContent(v reflect.Value) Content {
	c, _ := v.Interface().(Content)
	return c
}
