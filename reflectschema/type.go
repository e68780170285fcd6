package reflectschema

import (
	"cmp"
	"errors"
	"reflect"
	"sync"
)

// A Direction says who writes the JSON of a type and who reads it.
type Direction uint8

const (
	// Input is JSON that a client writes and we decode.
	Input Direction = iota
	// Output is JSON that we encode and a client reads.
	Output
)

// Options say how a type is derived. The zero value derives an input.
type Options struct {
	// Direction decides what is required and what may be null.
	Direction Direction
	// OmitRootDescription leaves out the description of the root type, for a
	// caller that tells it elsewhere. Default false; nested types keep theirs.
	OmitRootDescription bool
}

// Type is a Go type as JSON: its schema, and how to decode and encode it by that
// schema. [Compile] makes one. It never changes and is safe for concurrent use.
type Type struct {
	goType reflect.Type
	opts   Options
	root   *node
	schema *Schema
	plan   func() *plan // made at the first use, nil if there is none
	given  *Schema      // shown in place of schema, and held to as well; nil if none
}

// newType returns the type with the nodes below root and a finished schema.
func newType(goType reflect.Type, opts Options, root *node, schema *Schema) *Type {
	return &Type{
		goType: goType, opts: opts, root: root, schema: schema,
		plan: sync.OnceValue(func() *plan { return newPlan(root, schema, opts.Direction) }),
	}
}

// Schema returns the schema of the type: what clients are shown, what Decode
// accepts and what AppendEncode writes.
func (t *Type) Schema() *Schema {
	if t.given != nil {
		return t.given
	}
	return t.schema
}

// WithSchema returns the type with a schema that was written by hand in place of
// its own. Values are then held against both, and mistakes told together, with an
// example that fits both. The error is that of [Type.Agrees].
func (t *Type) WithSchema(s *Schema) (*Type, error) {
	if err := t.Agrees(s); err != nil {
		return nil, err
	}
	narrow := *t
	narrow.given = s
	return &narrow, nil
}

// checkValue holds a value against the schemas of the type.
func (t *Type) checkValue(v strictValue) error {
	err := t.schema.checkValue(v)
	if t.given == nil {
		return err
	}
	given := t.given.checkValue(v)
	if invalid := (*InvalidError)(nil); errors.As(given, &invalid) {
		invalid.add(err)
		return invalid
	}
	return cmp.Or(given, err)
}

// passes reports whether data that fits the type's own schema is known to fit the
// one that was given.
func (t *Type) passes(data []byte) bool { return t.given == nil || t.given.passes(data) }
