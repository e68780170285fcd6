package reflectschema

import (
	"cmp"
	"errors"
	"reflect"
	"sync"

	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/walk"
)

// A Direction determines who writes and who reads the JSON of a type, and so which members are required and what may be
// null. The zero value is [DirectionInput].
type Direction uint8

const (
	// DirectionInput is JSON that a client writes and the program decodes.
	DirectionInput Direction = iota
	// DirectionOutput is JSON that the program encodes and a client reads.
	DirectionOutput
	// DirectionStored is JSON that the program encodes and later decodes itself, as [Marshal] and [Unmarshal] do. Decoding the
	// result of encoding returns an equal value.
	DirectionStored
)

// A Type is a Go type with its JSON Schema, and decodes and encodes values of the type by that schema. [Compile] makes
// one. It is immutable and safe for concurrent use.
type Type struct {
	*derived
	given    *Schema       // published in place of schema; values must fit both; nil if none
	examples *exampleCache // of errors of Decode
}

// derived is the part of a Type that depends on the Go type alone. Most types of a program are only published, so the
// data for using one is made on first use. The graph of nodes for the schema is not kept, but made again then.
type derived struct {
	goType    reflect.Type
	usage     usage
	direction codec.Direction // of usage
	schema    *Schema
	misplaced error // see CheckToolTags

	graph struct {
		once    sync.Once
		root    *codec.Node
		shapes  map[*codec.Node]*walk.Shape // of its structs
		methods bool                        // see callsMethods
	}
	planned, unchecked struct {
		once sync.Once
		plan *codec.Plan
	}
}

// newType returns the type for a finished schema.
func newType(goType reflect.Type, as usage, schema *Schema) *Type {
	t := &Type{derived: &derived{goType: goType, usage: as, direction: codec.Direction(as.direction), schema: schema}, examples: new(exampleCache)}
	schema.owner = t
	return t
}

// root returns the node of the type.
func (d *derived) root() *codec.Node {
	d.graph.once.Do(func() {
		r := walk.NewResolver(d.direction)
		d.graph.root, d.graph.shapes = r.Run(d.goType), r.Shapes
		d.graph.methods = d.graph.root.CallsMethods()
	})
	return d.graph.root
}

// plan returns the plan of the type, nil if there is none.
func (d *derived) plan() *codec.Plan {
	d.planned.once.Do(func() {
		if rules := d.schema.rules(); rules != nil { // otherwise, no nodes are needed
			d.planned.plan = codec.NewPlan(d.root(), rules, d.direction)
		}
	})
	return d.planned.plan
}

// uncheckedPlan returns the plan that encodes values before they are checked, and decodes values after they are checked.
func (d *derived) uncheckedPlan() *codec.Plan {
	d.unchecked.once.Do(func() { d.unchecked.plan = codec.NewUncheckedPlan(d.root(), d.direction) })
	return d.unchecked.plan
}

// Schema returns the schema that is published for the type: the derived one, or for a tool the one in the option
// mcptool.InputSchema or mcptool.OutputSchema. Decode accepts only values that fit it.
func (t *Type) Schema() *Schema {
	if t.given != nil {
		return t.given
	}
	return t.schema
}

// checkValue checks a value against the schemas of the type.
func (t *Type) checkValue(v authority.Value, work *authority.Budget) error {
	err := t.schema.checkValue(v, work)
	if t.given == nil {
		return err
	}
	given := t.given.checkValue(v, work)
	if invalid := (*InvalidError)(nil); errors.As(given, &invalid) {
		invalid.add(err)
		return invalid
	}
	return cmp.Or(given, err)
}

// passes reports whether data that fits the derived schema is known to fit the given one.
func (t *Type) passes(data []byte) bool { return t.given == nil || t.given.passes(data, nil) }
