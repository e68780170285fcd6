package mcptool

import (
	"cmp"
	"context"
	"reflect"

	"github.com/mcptool-go/mcptool/internal/callsite"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// define builds the tool of a typed func, or returns the mistakes. If there are mistakes, the tool has only a name, if
// one was found.
func define(f authorFunc, opts []Option, location *callsite.Site) (*Tool, []Mistake) {
	d := definitionOf(f.in)
	defer d.free()
	d.ofService = f.ofService
	d.apply(opts)
	if f.isNil {
		d.mistake("the func is nil", "pass a func")
	}
	d.deriveName(f.name)
	d.check()
	c := &codec{tool: d.name.value, coerce: d.coerce.pointer()}
	input := d.compileIn(c, f.in)
	output := d.compileOut(c, f.out)
	return d.build(f.name, location, input, output, func(ctx context.Context, args, dst []byte) ([]byte, *Result, error) {
		return f.call(ctx, c, args, dst)
	})
}

// compileIn prepares decoding of the arguments and returns the schema to publish; nil if there are mistakes.
func (d *definition) compileIn(c *codec, in reflect.Type) *reflectschema.Schema {
	override := d.parseInput()
	if reason, fix := checkIn(in); reason != "" {
		d.mistakes = append(d.mistakes, Mistake{Type: in.String(), Reason: reason, Fix: fix})
		return nil
	}
	elem := in
	if in.Kind() == reflect.Pointer {
		c.inPtr, elem = true, in.Elem()
	}
	c.in = d.compile(elem, reflectschema.Options{Direction: reflectschema.Input, OmitRootDescription: true})
	switch {
	case c.in == nil:
		return nil
	case !c.in.Schema().IsObject():
		d.mistakes = append(d.mistakes, Mistake{
			Type:   in.String(),
			Reason: "arguments are a JSON object, and the type describes itself as something else: " + shorten(string(c.in.Schema().JSON())),
			Fix:    "make it a field of a struct",
		})
		return nil
	}
	d.findLists(c.in, elem)
	if d.inputSchema.isSet() {
		c.in = d.withSchema(c.in, override, d.inputSchema.source, elem)
		return override
	}
	d.checkHeaders(c.in.Schema())
	d.checkArgumentNames(c.in.Schema(), in)
	return c.in.Schema()
}

// compileOut prepares encoding of the results and returns the schema to publish, if any, with the type that it was
// derived from.
func (d *definition) compileOut(c *codec, out reflect.Type) structuredPart {
	given := d.parseOutput()
	override := given.schema
	shape, reason, fix := checkOut(out)
	if reason != "" {
		d.mistakes = append(d.mistakes, Mistake{Type: out.String(), Reason: reason, Fix: fix})
		return structuredPart{}
	}
	c.shape, c.part = shape, given
	switch shape {
	case outResult:
		return given
	case outContent, outContents:
		if d.outputSchema.isSet() || d.outputType.isSet() {
			d.mistake("an output schema describes the structured part of a result, and Content has none", "return *mcptool.Result")
		}
		return structuredPart{}
	default:
		elem := out
		if out.Kind() == reflect.Pointer {
			c.outPtr, elem = true, out.Elem()
		}
		c.out = d.compile(elem, reflectschema.Options{Direction: reflectschema.Output})
		if c.out == nil {
			return structuredPart{}
		}
		d.findLists(c.out, elem)
		c.out = d.withSchema(c.out, override, cmp.Or(d.outputSchema.source, d.outputType.source), elem)
		if override == nil {
			override = promise(c.out.Schema())
		}
		isString := d.kind == kindTool && elem.Kind() == reflect.String && !schemas.CallsMethods(c.out)
		return structuredPart{schema: override, goType: elem, compiled: c.out, isString: isString}
	}
}

// promise returns the schema, or nil if it is {}: a schema that allows everything is useless to clients and costs
// tokens.
func promise(schema *reflectschema.Schema) *reflectschema.Schema {
	if string(schema.JSON()) == "{}" {
		return nil
	}
	return schema
}
