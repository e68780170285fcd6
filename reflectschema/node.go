package reflectschema

import (
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// nodeKind is the JSON form of a Go type, and how it is read and written. The schema and the codec share this decision.
type nodeKind uint8

const (
	kindBool    nodeKind = iota + 1
	kindInt              // int, int8 … int64, and types over them: time.Duration is nanoseconds
	kindUint             // uint, uint8 … uint64
	kindFloat            // float32, float64
	kindString           // string and types over it
	kindBytes            // a slice of bytes: base64 in a string
	kindTime             // time.Time: RFC 3339 in a string
	kindNumber           // json.Number: a number, with all its digits
	kindAny              // an interface without methods: any JSON
	kindRaw              // json.RawMessage: any JSON
	kindText             // encoding.TextMarshaler, TextUnmarshaler: a string
	kindJSON             // json.Marshaler, Unmarshaler, or registered functions: any JSON
	kindPointer          // the JSON of the type it points at, or null where that is allowed
	kindSlice            // an array of any length
	kindArray            // an array of exactly this length
	kindMap              // an object with any names
	kindStruct           // an object with the names of its fields
	kindUnion            // an interface: the object of one member, with a discriminator
)

// A node is the JSON form of one Go type. Nodes form a graph like that of the types, so a recursive type is a cycle. A
// resolver makes one node per type and direction; it does not change afterwards.
//
// The methods of a node of kindText or kindJSON may have a pointer receiver: the codec must call them on an address,
// even for a value that is not addressable.
type node struct {
	goType reflect.Type
	kind   nodeKind
	elem   *node   // pointer, slice, array, map: of the element
	key    *node   // map: kindString, kindInt, kindUint, kindText or kindJSON (registered functions)
	fields []field // struct: in the order they are written
	quoted bool    // json:",string": a bool or number inside a string

	registered *typeSchema // the registration by TypeSchema, TypeCodec or Enum, nil if there is none

	growing bool // its parts are being resolved

	discriminator string // union: the name of the discriminator
	arms          []arm  // union: the members

	shape *shape // struct: the properties that only the schema needs
}

// A field is one JSON member of a struct.
type field struct {
	name      string // in JSON
	index     []int  // reflect index path, through embedded structs and pointers
	node      *node
	omitEmpty bool                     // never together with def
	omitZero  bool                     // never together with def
	optional  bool                     // may be absent: not required by the schema
	nullable  bool                     // may be null by its tag or, in outputs and stored values, because it is nil
	isZero    func(reflect.Value) bool // for omitzero on a type with an IsZero method, else nil
	def       []byte                   // JSON of default=, nil if none

	absentZero bool // if absent, it is zero: defaults inside a struct do not apply
}

// bare returns the node behind any pointers.
func (n *node) bare() *node {
	for n.kind == kindPointer {
		n = n.elem
	}
	return n
}

// callsMethods reports whether the codec may call methods on parts of a value that the value contains directly. Seen
// contains the nodes visited before, because embedded pointers can lead back.
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

// named returns the node of the member with this name, nil if none is known.
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

// inside returns the node of an element of an array, nil if none is known.
func (n *node) inside() *node {
	if n == nil || n.kind != kindSlice && n.kind != kindArray {
		return nil
	}
	return n.elem
}

// branch returns the node for an alternative of a union, whose schema is d. For any other type, it returns n.
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
