package codec

import (
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// A Kind is the JSON form of a Go type, and how it is read and written. The schema and the codec share this decision.
type Kind uint8

// The kinds. The zero Kind is not valid.
const (
	KindBool     Kind = iota + 1
	KindInt           // int, int8 … int64, and types over them: time.Duration is nanoseconds
	KindUint          // uint, uint8 … uint64
	KindFloat         // float32, float64
	KindString        // string and types over it
	KindBytes         // a slice of bytes: base64 in a string
	KindTime          // time.Time: RFC 3339 in a string
	KindNumber        // json.Number: a number, with all its digits
	KindAny           // an interface without methods: any JSON
	KindRaw           // json.RawMessage: any JSON
	KindText          // encoding.TextMarshaler, TextUnmarshaler: a string
	KindJSON          // json.Marshaler, Unmarshaler, or registered functions: any JSON
	KindPointer       // the JSON of the type it points at, or null where that is allowed
	KindOptional      // reflectschema.Optional: the JSON of its field Value, or null
	KindSlice         // an array of any length
	KindArray         // an array of exactly this length
	KindMap           // an object with any names
	KindStruct        // an object with the names of its fields
	KindUnion         // an interface: the object of one member, with a discriminator
)

// kindTypes maps each kind with a fixed JSON type to that type, without null.
var kindTypes = map[Kind]jsondoc.Types{
	KindBool: jsondoc.TypeBool, KindInt: jsondoc.TypeInteger, KindUint: jsondoc.TypeInteger, KindFloat: jsondoc.TypeNumber, KindNumber: jsondoc.TypeNumber,
	KindString: jsondoc.TypeString, KindBytes: jsondoc.TypeString, KindTime: jsondoc.TypeString, KindText: jsondoc.TypeString,
	KindSlice: jsondoc.TypeArray, KindArray: jsondoc.TypeArray, KindMap: jsondoc.TypeObject, KindStruct: jsondoc.TypeObject, KindUnion: jsondoc.TypeObject,
}

// Types returns the JSON types of the values, without null; 0 if they are not fixed.
func (k Kind) Types() jsondoc.Types { return kindTypes[k] }

// A Node is the JSON form of one Go type. Nodes form a graph like that of the types, so a recursive type is a cycle. A
// resolver makes one node per type and direction; it does not change afterwards.
//
// The methods of a node of KindText or KindJSON may have a pointer receiver: the codec must call them on an address,
// even for a value that is not addressable.
type Node struct {
	GoType reflect.Type
	Kind   Kind
	Elem   *Node   // pointer, slice, array, map: of the element; optional: the pointer in it
	Key    *Node   // map: KindString, KindInt, KindUint, KindText or KindJSON (registered functions)
	Fields []Field // struct: in the order they are written
	Quoted bool    // json:",string": JSON of a bool, number or string inside a string

	Registered Schema        // of a registration by RegisterSchema, RegisterCodec or RegisterEnum, nil if there is none
	Functions  *Functions    // of a registration by RegisterCodec, nil if there is none
	Described  bool          // its schema is from a JSONSchema or JSONSchemaExtend method
	Dynamic    DynamicFunc   // KindAny: returns the nodes of dynamic types
	Plans      *DynamicPlans // KindAny: of the dynamic types

	Ordered bool          // text: the type has a method Compare(T) int, so the field may have bounds
	Compare reflect.Value // the method, if it is Ordered and can be called
	Limits  []Limit       // text: the bounds in the tag of the field

	Discriminator string // union: the name of the discriminator
	Arms          []Arm  // union: the members
}

// A DynamicFunc returns the node of the dynamic type of a value in an interface, or describes why it has no JSON form.
type DynamicFunc func(reflect.Type) (n *Node, problem string)

// A Field is one JSON member of a struct.
type Field struct {
	Name      string // in JSON
	Index     []int  // reflect index path, through embedded structs and pointers
	Node      *Node
	OmitEmpty bool                     // never together with Def
	OmitZero  bool                     // never together with Def
	Optional  bool                     // may be absent: not required by the schema
	Nullable  bool                     // may be null by its tag or, in outputs and stored values, because it is nil
	IsZero    func(reflect.Value) bool // for omitzero on a type with an IsZero method, else nil
	Def       []byte                   // JSON of default=, nil if none

	AbsentZero bool // if absent, it is zero: defaults inside a struct do not apply
}

// An Arm is a member of a union.
type Arm struct {
	Name   string
	GoType reflect.Type // the type that decoding makes: the struct, or a pointer to it
	Node   *Node        // the struct
	Open   string       // the start of its object: {"type":"circle"
}

// The fields of an optional, by index.
const (
	OptionalValue = iota // a pointer, nil if the optional is absent or null
	OptionalNull         // a bool
)

// Wraps reports whether the node has the JSON of its element, or null.
func (n *Node) Wraps() bool { return n.Kind == KindPointer || n.Kind == KindOptional }

// Bare returns the node behind any pointers and optionals.
func (n *Node) Bare() *Node {
	for n.Wraps() {
		n = n.Elem
	}
	return n
}

// CallsMethods reports whether the codec may call methods on parts of a value that the value contains directly.
func (n *Node) CallsMethods() bool { return callsMethods(n, map[*Node]bool{}) }

// callsMethods is [Node.CallsMethods] with the nodes visited before, because embedded pointers can lead back.
func callsMethods(n *Node, seen map[*Node]bool) bool {
	if seen[n] {
		return false
	}
	seen[n] = true
	switch n.Kind {
	case KindText, KindJSON:
		return true
	case KindArray:
		return callsMethods(n.Elem, seen)
	case KindStruct:
		return slices.ContainsFunc(n.Fields, func(f Field) bool { return f.IsZero != nil || callsMethods(f.Node, seen) })
	default:
		return false
	}
}

// armNames lists the values of the discriminator, for display.
func (n *Node) armNames() string {
	return show.List(n.Arms, func(a Arm) string { return show.Quote(a.Name, show.MaxName) })
}

// FieldNamed returns the index of the field with this JSON name, or -1.
func (n *Node) FieldNamed(name string) int {
	for i := range n.Fields {
		if n.Fields[i].Name == name {
			return i
		}
	}
	return -1
}

// Member returns the node of the member with this name, nil if none is known.
func (n *Node) Member(name string) *Node {
	switch {
	case n == nil:
		return nil
	case n.Kind == KindMap:
		return n.Elem
	case n.Kind == KindStruct:
		if i := n.FieldNamed(name); i >= 0 {
			return n.Fields[i].Node
		}
	}
	return nil
}

// IsBigInt reports whether the type is big.Int.
func (n *Node) IsBigInt() bool { return n.GoType == reflect.TypeFor[big.Int]() }

// Range returns the minimum and maximum of a number type, nil for other types. The caller must not modify them.
func (n *Node) Range() (low, high *big.Rat) {
	switch n.Kind {
	case KindInt, KindUint, KindFloat:
		r := ranges()[n.GoType.Kind()]
		return r[0], r[1]
	default:
		return nil, nil
	}
}

// ranges returns the minimum and maximum of each number type.
var ranges = sync.OnceValue(func() map[reflect.Kind][2]*big.Rat {
	all := map[reflect.Kind][2]*big.Rat{}
	for i, bits := range []int{strconv.IntSize, 8, 16, 32, 64} { // in the order of the kinds
		most := uint64(math.MaxUint64) >> (64 - bits)
		half := int64(most >> 1)
		all[reflect.Uint+reflect.Kind(i)] = [2]*big.Rat{new(big.Rat), new(big.Rat).SetUint64(most)}
		all[reflect.Int+reflect.Kind(i)] = [2]*big.Rat{new(big.Rat).SetInt64(-half - 1), new(big.Rat).SetInt64(half)}
	}
	for kind, largest := range map[reflect.Kind]float64{reflect.Float32: math.MaxFloat32, reflect.Float64: math.MaxFloat64} {
		all[kind] = [2]*big.Rat{new(big.Rat).SetFloat64(-largest), new(big.Rat).SetFloat64(largest)}
	}
	return all
})

// A Direction determines who writes and who reads the JSON of a type. Package reflectschema documents the values.
type Direction uint8

// The directions, with the values of those in package reflectschema.
const (
	Input Direction = iota
	Output
	Stored
)

// Encodes reports whether the program encodes values in this direction, apart from adapters and tests.
func (d Direction) Encodes() bool { return d == Output || d == Stored }

// Decodes reports whether the program decodes values in this direction, apart from adapters and tests.
func (d Direction) Decodes() bool { return d == Input || d == Stored }
