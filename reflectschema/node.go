package reflectschema

import (
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// nodeKind says what JSON a Go type is, and by which means. It is the one
// decision that the schema and the codec must share: both read it from here.
type nodeKind uint8

const (
	kindBool    nodeKind = iota + 1
	kindInt              // int, int8 … int64, and types over them: time.Duration is nanoseconds
	kindUint             // uint, uint8 … uint64
	kindFloat            // float32, float64
	kindString           // string and types over it
	kindBytes            // a slice of bytes: base64 in a string
	kindTime             // time.Time: RFC 3339 in a string
	kindNumber           // json.Number: a number, digit for digit
	kindAny              // an interface without methods: whatever JSON there is
	kindRaw              // json.RawMessage: whatever JSON there is, as it stands
	kindText             // encoding.TextMarshaler, TextUnmarshaler: its text in a string
	kindJSON             // json.Marshaler, Unmarshaler: whatever they write and read
	kindPointer          // what it points at, or null where that is allowed
	kindSlice            // an array of any length
	kindArray            // an array of exactly this length
	kindMap              // an object with any names
	kindStruct           // an object with these names
	kindUnion            // an interface: the object of the member it holds, with a discriminator
)

// A node is one Go type as JSON sees it. Nodes form a graph that follows the
// types, so a recursive type is a cycle. They are made by a resolver, once per
// type and direction, and never change afterwards.
//
// A node of kindText or kindJSON may have its methods on the pointer: the codec
// must call them on the address, whether or not the value came with one.
type node struct {
	goType reflect.Type
	kind   nodeKind
	elem   *node   // pointer, slice, array, map: what is inside
	key    *node   // map: kindString, kindInt, kindUint or kindText
	fields []field // struct: in the order they are written
	quoted bool    // json:",string": a bool or number inside a string

	registered *typeSchema // what TypeSchema, TypeCodec or Enum registered of the type, nil if nothing

	growing bool // its parts are being resolved

	discriminator string // union: the name that tells the members apart
	arms          []arm  // union: the members

	shape *shape // what only the schema needs to know of a struct
}

// A field is one JSON member of a struct.
type field struct {
	name      string // in JSON
	index     []int  // reflect index path, through embedded structs and pointers
	node      *node
	omitEmpty bool                     // never together with def
	omitZero  bool                     // never together with def
	optional  bool                     // may be absent when decoding
	nullable  bool                     // may be null by its tag, or, in what we write, because it is nil
	isZero    func(reflect.Value) bool // for omitzero on a type with an IsZero method, else nil
	def       []byte                   // JSON of default=, nil if none

	absentZero bool // absent is the zero value, whatever defaults a struct in it has
}

// bare returns the node behind any pointers.
func (n *node) bare() *node {
	for n.kind == kindPointer {
		n = n.elem
	}
	return n
}

// callsMethods reports whether the codec may call methods on what a value of the node holds in
// itself. Seen are the nodes that were asked before: embedded pointers can lead back.
func callsMethods(n *node, seen map[*node]bool) bool {
	if seen[n] {
		return false
	}
	seen[n] = true
	switch n.kind {
	case kindText, kindJSON:
		return true
	case kindArray:
		return callsMethods(n.elem, seen)
	case kindStruct:
		return slices.ContainsFunc(n.fields, func(f field) bool { return f.isZero != nil || callsMethods(f.node, seen) })
	default:
		return false
	}
}

// named returns the node that reads the member of this name, nil if none is known.
func (n *node) named(name string) *node {
	switch {
	case n == nil:
		return nil
	case n.kind == kindMap:
		return n.elem
	case n.kind == kindStruct:
		if i := n.fieldNamed(name); i >= 0 {
			return n.fields[i].node
		}
	}
	return nil
}

// inside returns the node that reads an element of an array, nil if none is known.
func (n *node) inside() *node {
	if n == nil || n.kind != kindSlice && n.kind != kindArray {
		return nil
	}
	return n.elem
}

// branch returns the node that reads what fits an alternative of a union; for
// any other type it is the type itself.
func (n *node) branch(d *jsondoc.Value) *node {
	if n == nil || n.kind != kindUnion {
		return n
	}
	name := d.Get("properties").Get(n.discriminator).Get("const").Text()
	for i := range n.arms {
		if n.arms[i].name == name {
			return n.arms[i].node
		}
	}
	return nil
}
