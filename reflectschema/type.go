package reflectschema

import (
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
}

// newType returns the type with the nodes below root and a finished schema.
func newType(goType reflect.Type, opts Options, root *node, schema *Schema) *Type {
	return &Type{goType, opts, root, schema, sync.OnceValue(func() *plan { return newPlan(root, schema, opts.Direction) })}
}

// Schema returns the schema of the type: what clients are shown, what Decode
// accepts and what AppendEncode writes.
func (t *Type) Schema() *Schema { return t.schema }
