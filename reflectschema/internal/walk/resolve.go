package walk

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// A Resolver determines the JSON form of every type below a root, and collects mistakes. It makes one node per type.
type Resolver struct {
	direction codec.Direction
	nodes     map[nodeKey]*codec.Node
	Shapes    map[*codec.Node]*Shape // of structs
	order     []*codec.Node          // in the order of discovery
	growing   map[*codec.Node]bool   // their parts are being resolved
	recursive bool                   // some type contains itself
	skipped   reflect.Type           // the type whose registration is ignored, nil if none is
	lenient   bool                   // only mistakes that encoding/json reports as well are errors
	unfit     map[*codec.Node][]unfit
	mistakes  []Located

	root                 reflect.Type
	OmitsRootDescription bool // see Options of package reflectschema

	// IsOwn reports whether a struct without tags of this package is nevertheless held to what an author expects, see
	// [IsAuthored]. Nil means that none is.
	IsOwn func(t reflect.Type) bool
}

// A nodeKey identifies a node: a type may occur bare and inside a string.
type nodeKey struct {
	goType reflect.Type
	quoted bool
}

// A Location is the location where a type is used, for error messages.
type Location struct {
	Owner  reflect.Type // the struct, or the root
	GoPath string       // Go field of the owner, "" for the owner itself
	Path   string       // in the JSON
}

// A Located is a mistake with its location.
type Located struct {
	tag.Mistake
	Location
}

// Line returns a mistake in one line: location, tag, reason, fix.
func Line(typeName, field, path string, m tag.Mistake) string {
	line := typeName
	for _, part := range [][3]string{{".", field, ""}, {" (", path, ")"}, {": `", m.Tag, "`"}, {": ", m.Reason, ""}, {"; ", m.Fix, ""}} {
		if part[1] != "" {
			line += part[0] + part[1] + part[2]
		}
	}
	return line
}

// NewResolver returns a resolver for one root type, with the registrations of a table.
func NewResolver(d codec.Direction) *Resolver {
	return &Resolver{direction: d, nodes: map[nodeKey]*codec.Node{}, Shapes: map[*codec.Node]*Shape{}, growing: map[*codec.Node]bool{}}
}

// Refuse adds a mistake in a type.
func (r *Resolver) Refuse(at Location, reason, fix string) {
	r.Add(at, tag.Mistake{Reason: reason, Fix: fix})
}

// Add adds mistakes at a location.
func (r *Resolver) Add(at Location, mistakes ...tag.Mistake) {
	for _, f := range mistakes {
		r.mistakes = append(r.mistakes, Located{f, at})
	}
}

// NameOf returns the name of a type in errors. The String method of an unnamed struct would list all fields and tags.
func NameOf(t reflect.Type) string {
	if t.Kind() == reflect.Struct && t.Name() == "" {
		return "struct{…}"
	}
	return t.String()
}

// Run resolves a root type and everything below it. It reads tags once all types are known, because the valid keywords
// depend on the types.
func (r *Resolver) Run(t reflect.Type) *codec.Node {
	r.root = t
	root := r.resolve(t, Location{Owner: t})
	for _, n := range r.order {
		if n.Kind == codec.KindStruct {
			r.settle(n)
		}
	}
	r.reportUnfit()
	return root
}

// Sorted returns the mistakes in the order of the types and their fields.
func (r *Resolver) Sorted() []Located {
	rank := func(l Located) (int, int) {
		owner := slices.IndexFunc(r.order, func(n *codec.Node) bool { return n.GoType == l.Owner })
		first, _, _ := strings.Cut(l.GoPath, ".")
		if l.Owner.Kind() == reflect.Struct && first != "" {
			if f, ok := l.Owner.FieldByName(first); ok {
				return owner, f.Index[0]
			}
		}
		return owner, -1
	}
	slices.SortStableFunc(r.mistakes, func(a, b Located) int {
		ownerA, fieldA := rank(a)
		ownerB, fieldB := rank(b)
		return cmp.Or(cmp.Compare(ownerA, ownerB), cmp.Compare(fieldA, fieldB))
	})
	return r.mistakes
}

// resolve returns the node of a type. If the type is recursive, the node may still be incomplete.
func (r *Resolver) resolve(t reflect.Type, at Location) *codec.Node {
	key := nodeKey{goType: t}
	if n, ok := r.nodes[key]; ok {
		r.recursive = r.recursive || r.growing[n]
		r.noteUse(n, at)
		return n
	}
	n := &codec.Node{GoType: t}
	r.nodes[key] = n
	r.order = append(r.order, n)
	n.Described = HookOf(t) != nil
	r.growing[n] = true
	r.decide(n, at)
	r.addUse(n, at)
	delete(r.growing, n)
	if n.Kind == 0 {
		n.Kind = codec.KindAny // rejected: keep the graph complete, so that all mistakes are found
	}
	if n.Kind == codec.KindAny {
		n.Dynamic, n.Plans = DynamicNode, &dynamicPlans
	}
	return n
}

// decide determines the kind of a node, by rules in the order of encoding/json.
func (r *Resolver) decide(n *codec.Node, at Location) {
	own := r.register(n)
	switch {
	case n.GoType.Kind() == reflect.Pointer:
		r.pointer(n, at)
	case own != nil && own.Codec != nil:
		n.Kind = codec.KindJSON
		r.refuseOpaqueTags(n.GoType, at, "its registered codec")
		own.refuseReading(r, at)
	case r.known(n):
	case r.optional(n, at):
	case r.methods(n, at):
		r.describe(n)
	default:
		r.misleading(n)
		r.byKind(n, at)
	}
}

// register sets the registration of a node, and returns it; nil if there is none.
func (r *Resolver) register(n *codec.Node) *Registration {
	own := r.lookUp(n.GoType)
	if own != nil {
		n.Registered, n.Functions = own, own.Codec
	}
	return own
}

// lookUp returns the registration of a type, nil if there is none or it is ignored.
func (r *Resolver) lookUp(t reflect.Type) *Registration {
	if t == r.skipped {
		return nil
	}
	return lookUp[Registration](t)
}

func (r *Resolver) pointer(n *codec.Node, at Location) {
	seen := map[reflect.Type]bool{}
	for t := n.GoType; t.Kind() == reflect.Pointer; t = t.Elem() {
		if seen[t] {
			r.refuseField(n, fmt.Sprintf("%s points only to itself", n.GoType), "point at a value")
			return
		}
		seen[t] = true
	}
	n.Kind = codec.KindPointer
	n.Elem = r.present(n.GoType.Elem(), at)
	if r.direction == codec.Input && n.Elem.Kind == codec.KindPointer && n.Elem.Elem.Kind != codec.KindPointer {
		value := n.Bare().GoType
		r.discourageType(n, fmt.Sprintf("%s cannot tell null from an absent argument", n.GoType),
			fmt.Sprintf("use reflectschema.Optional[%s] for a field that may be absent, null or a value, otherwise *%[1]s", value))
	}
}

// present is resolve for a part that a value always has, unlike the field of a struct.
func (r *Resolver) present(t reflect.Type, at Location) *codec.Node {
	n := r.resolve(t, at)
	r.refuseOptional(n, at)
	return n
}

// refuseOptional rejects an optional that cannot be absent.
func (r *Resolver) refuseOptional(n *codec.Node, at Location) {
	if n.Kind == codec.KindOptional {
		r.Refuse(at, fmt.Sprintf("%s cannot be absent here", n.GoType), fmt.Sprintf("use it as the field of a struct, or use %s, which may be null", n.Elem.GoType))
	}
}

func (r *Resolver) byKind(n *codec.Node, at Location) {
	t := n.GoType
	switch t.Kind() {
	case reflect.Bool:
		n.Kind = codec.KindBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n.Kind = codec.KindInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n.Kind = codec.KindUint
	case reflect.Float32, reflect.Float64:
		n.Kind = codec.KindFloat
	case reflect.String:
		n.Kind = codec.KindString
	case reflect.Interface:
		if t.NumMethod() > 0 {
			r.union(n, at)
			return
		}
		n.Kind = codec.KindAny
	case reflect.Slice:
		n.Kind = codec.KindSlice
		if e := t.Elem(); r.isByte(e) && r.lookUp(e) == nil && HookOf(e) == nil { // a type with a schema is not written in base64
			n.Kind = codec.KindBytes
			return
		}
		n.Elem = r.present(t.Elem(), at.below("[]"))
	case reflect.Array:
		n.Kind = codec.KindArray
		n.Elem = r.present(t.Elem(), at.below("[]"))
	case reflect.Map:
		n.Kind = codec.KindMap
		n.Key = r.mapKey(n, at)
		n.Elem = r.present(t.Elem(), at.below("{}"))
	case reflect.Struct:
		r.structure(n, at)
	default:
		r.refuseField(n, fmt.Sprintf("%s has no form in JSON", t), fixFor(t.Kind()))
	}
}

func fixFor(k reflect.Kind) string {
	switch k {
	case reflect.Complex64, reflect.Complex128:
		return "use two float64 fields, or a string"
	case reflect.Uintptr, reflect.UnsafePointer:
		return `use uint64, or leave the field out with json:"-"`
	default:
		return `leave the field out with json:"-"`
	}
}

// below returns the location of an element.
func (p Location) below(step string) Location {
	p.Path += step
	return p
}

// Member returns the location of a member of a struct.
func (p Location) Member(owner reflect.Type, goPath, name string) Location {
	if p.Path != "" && name != "" {
		name = "." + name
	}
	return Location{owner, goPath, p.Path + name}
}

// isByte reports whether encoding/json uses base64 for a slice of t in this direction.
func (r *Resolver) isByte(t reflect.Type) bool {
	return t.Kind() == reflect.Uint8 &&
		(!r.direction.Encodes() || !has(t, jsonMarshaler) && !has(t, textMarshaler)) &&
		(!r.direction.Decodes() || !has(t, jsonUnmarshaler) && !has(t, textUnmarshaler))
}

// mapKey determines how the member names of a map are written. For string keys, encoding/json calls UnmarshalText but
// not MarshalText. A key with only one of these methods is written or read by its kind in the other direction.
func (r *Resolver) mapKey(m *codec.Node, at Location) *codec.Node {
	t := m.GoType
	key := t.Key()
	hasText := (!r.direction.Encodes() || has(key, textMarshaler)) && (!r.direction.Decodes() || has(key, textUnmarshaler))
	n := &codec.Node{GoType: key, Kind: codec.KindString}
	own := r.register(n)
	switch kind := key.Kind(); {
	case own != nil && own.Codec != nil:
		n.Kind = codec.KindJSON
	case (kind == reflect.Pointer || kind == reflect.Interface) && (r.direction.Decodes() || !key.Implements(textMarshaler)):
		r.refuseField(m, fmt.Sprintf("the keys of %s cannot be read back", t), "use a string or integer key")
	case hasText && (kind != reflect.String || r.direction == codec.Input):
		n.Kind = codec.KindText
		r.losesRegistered(n, at, r.method(marshalTextMethod, unmarshalTextMethod))
		r.refuseOpaqueTags(key, at, r.method(marshalTextMethod, unmarshalTextMethod))
	case kind == reflect.String:
	case r.direction == codec.Stored && has(key, textMarshaler) != has(key, textUnmarshaler):
		r.refuseHalf(m, key, has(key, textMarshaler), marshalTextMethod, unmarshalTextMethod)
	case reflect.Int <= kind && kind <= reflect.Int64:
		n.Kind = codec.KindInt
	case reflect.Uint <= kind && kind <= reflect.Uint64:
		n.Kind = codec.KindUint
	default:
		r.refuseField(m, fmt.Sprintf("%s cannot be the key of a JSON object", key), "use a string or integer key, or one with MarshalText and UnmarshalText")
	}
	if own != nil {
		if f := own.checkNames(n); f != nil {
			r.Add(at, *f)
		}
	}
	return n
}

// structure resolves the types of the members of a struct.
func (r *Resolver) structure(n *codec.Node, at Location) {
	n.Kind = codec.KindStruct
	members, mistakes := membersOf(n.GoType)
	for _, f := range mistakes {
		if (!f.ofDecoding || r.direction.Decodes()) && (f.styleOf == nil || r.isStrict(f.styleOf)) {
			r.Add(at.Member(n.GoType, f.goPath, f.name), f.Mistake)
		}
	}
	if r.direction.Decodes() {
		members = slices.DeleteFunc(members, func(m Member) bool { return m.unsettable })
	}
	for i := range members {
		m := &members[i]
		m.Node = r.resolve(m.goType, at.Member(n.GoType, m.GoPath, m.Name))
	}
	r.Shapes[n] = &Shape{At: at, Members: members}
	if len(members) == 0 && len(mistakes) == 0 && isOpaque(n.GoType) {
		r.discourageType(n, fmt.Sprintf("%s has no exported field, so its JSON would always be {}", n.GoType), `export its fields, give it MarshalJSON and UnmarshalJSON, or leave it out with json:"-"`+orRegisterJSON)
	}
}

// isOpaque reports whether a struct has fields, but only unexported ones: sync and atomic types, and types defined as
// another type without its methods.
func isOpaque(t reflect.Type) bool {
	hidden := false
	for f := range t.Fields() {
		if f.IsExported() || f.Anonymous {
			return false
		}
		hidden = hidden || f.Name != "_"
	}
	return hidden
}

// method returns encode if the direction includes encoding, otherwise decode.
func (r *Resolver) method(encode, decode string) string {
	if r.direction.Encodes() {
		return encode
	}
	return decode
}
