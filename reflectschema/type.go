package reflectschema

import (
	"cmp"
	"errors"
	"reflect"
	"sync"

	"github.com/mcptool-go/mcptool/internal/processor"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// A Direction is the writer and the reader of the JSON of a type. The zero value is [Input].
type Direction uint8

const (
	// Input is JSON that a client writes and the program decodes.
	Input Direction = iota
	// Output is JSON that the program encodes and a client reads.
	Output
	// Stored is JSON that the program encodes and later decodes itself, as [Marshal] and
	// [Unmarshal] do. What is encoded decodes to an equal value.
	Stored
)

// encodes reports whether values are encoded, beside what an adapter or a test may do.
func (d Direction) encodes() bool { return d == Output || d == Stored }

// decodes reports whether values are decoded, likewise.
func (d Direction) decodes() bool { return d == Input || d == Stored }

// method returns which of the two methods makes the JSON that the direction is about.
func (d Direction) method(encode, decode string) string {
	if d.encodes() {
		return encode
	}
	return decode
}

// Options are the options of [Compile]. The zero value compiles an input.
type Options struct {
	// Direction determines which members are required and what may be null; default [Input].
	Direction Direction
	// OmitRootDescription omits the description of the root type, for a caller that publishes it elsewhere. Then a
	// description of a struct embedded in the root is not an error. Nested types keep their descriptions. Default false.
	OmitRootDescription bool
}

// A Type is a Go type with its JSON Schema, and decodes and encodes values of the type by that schema. [Compile] makes one.
// It is immutable and safe for concurrent use.
type Type struct {
	*derived
	given    *Schema       // shown in place of schema, and held to as well; nil if none
	examples *exampleCache // what errors of Decode have shown
}

// derived is what comes of the Go type alone. Most types of a program are only ever
// shown, so what it takes to use one is made at the first use: the graph of nodes that
// the schema was written from is not kept, but made again then.
type derived struct {
	goType reflect.Type
	opts   Options
	schema *Schema
	marked bool // lists has an mcp tag to look at

	graph struct {
		once    sync.Once
		root    *node
		methods bool // see callsMethods
	}
	planned, unchecked struct {
		once sync.Once
		plan *plan
	}
}

// newType returns the type with a finished schema.
func newType(goType reflect.Type, opts Options, schema *Schema) *Type {
	t := &Type{derived: &derived{goType: goType, opts: opts, schema: schema}, examples: new(exampleCache)}
	schema.owner = t
	return t
}

// root returns the nodes of the type.
func (d *derived) root() *node {
	d.graph.once.Do(func() {
		d.graph.root = newResolver(d.opts).run(d.goType)
		d.graph.methods = callsMethods(d.graph.root, map[*node]bool{})
	})
	return d.graph.root
}

// plan returns the plan of the type, nil if there is none.
func (d *derived) plan() *plan {
	d.planned.once.Do(func() {
		if d.schema.rules() != nil {
			d.planned.plan = newPlan(d.root(), d.schema, d.opts.Direction)
		}
	})
	return d.planned.plan
}

// uncheckedPlan returns the plan that encodes values before they are checked.
func (d *derived) uncheckedPlan() *plan {
	d.unchecked.once.Do(func() { d.unchecked.plan = newUncheckedPlan(d.root(), d.opts.Direction) })
	return d.unchecked.plan
}

// Schema returns the schema that is published for the type: that of [Type.WithSchema], or else the derived one. Decode
// accepts and AppendEncode writes only values that fit it.
func (t *Type) Schema() *Schema {
	if t.given != nil {
		return t.given
	}
	return t.schema
}

// callsMethods is CallsMethods of [private.Schemas].
func (t *Type) callsMethods() bool {
	t.root()
	return t.graph.methods
}

// WithSchema returns the type with s as its published schema in place of the derived one. Values are then checked against
// both schemas; an error lists the violations of both, with an example that fits both. t does not change. The error is
// that of [Type.Agrees].
func (t *Type) WithSchema(s *Schema) (*Type, error) {
	if err := t.Agrees(s); err != nil {
		return nil, err
	}
	narrow := *t
	narrow.given, narrow.examples = s, new(exampleCache)
	return &narrow, nil
}

// checkValue holds a value against the schemas of the type.
func (t *Type) checkValue(v authority.Value, turn *processor.Turn) error {
	err := t.schema.checkValue(v, turn)
	if t.given == nil {
		return err
	}
	given := t.given.checkValue(v, turn)
	if invalid := (*InvalidError)(nil); errors.As(given, &invalid) {
		invalid.add(err)
		return invalid
	}
	return cmp.Or(given, err)
}

// passes reports whether data that fits the type's own schema is known to fit the
// one that was given.
func (t *Type) passes(data []byte, matched int) (ok bool, after int) {
	if t.given == nil {
		return true, matched
	}
	return t.given.passes(data, matched)
}
