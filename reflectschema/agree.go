package reflectschema

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
	"github.com/mcptool-go/mcptool/reflectschema/internal/walk"
)

// agree returns an error if s, which was written by hand, cannot be published for the type in place of the derived
// schema. It compares names, types, required members, and the defaults of inputs. The error is a [TypeErrors] with each
// difference, its location, and a fix.
//
// The schema of an input must not describe members that the type does not have, must close objects and require members
// as the type does, and must not allow other JSON types. The schema of an output may promise more than the type, but
// nothing that all values of the type violate: another JSON type, a required member that the type does not write or may
// omit, an object that is closed to members that the type writes.
//
// References to "#/…" are followed, and anyOf of a schema and null is compared like a type. Not compared are schemas
// that consist of others by allOf, anyOf, oneOf or another reference, elements and members of maps that s does not
// describe, prefixItems, bounds, patterns, formats, listed values, and the names of map members: a value that fits only
// one of the schemas is an error when it is decoded or encoded.
func agree(t *Type, s *Schema) error {
	root := t.root().Bare() // makes the shapes
	a := agreement{output: t.direction == codec.Output, written: s.doc(), derived: t.schema.doc(), shapes: t.graph.shapes, compared: map[[2]*jsondoc.Value]bool{}}
	a.value(goLocation{walk.Location{Owner: t.goType}, root}, a.written, a.derived)
	if len(a.errs) == 0 {
		return nil
	}
	return a.errs
}

// withSchema returns the type with s as its published schema in place of the derived one. Values are then checked
// against both schemas; an error lists the violations of both, with an example that fits both. t does not change. The
// error is the one that agree returns.
func withSchema(t *Type, s *Schema) (*Type, error) {
	if err := agree(t, s); err != nil {
		return nil, err
	}
	narrow := *t
	narrow.given, narrow.examples = s, new(exampleCache)
	return &narrow, nil
}

// An agreement compares a schema that was written by hand with the derived schema of a type.
type agreement struct {
	output           bool
	written, derived *jsondoc.Value // the documents
	shapes           map[*codec.Node]*walk.Shape
	compared         map[[2]*jsondoc.Value]bool // ends recursion
	errs             TypeErrors
}

// value compares the schemas that both documents have for one value. A nil schema is unknown.
func (a *agreement) value(at goLocation, written, derived *jsondoc.Value) {
	pair := [2]*jsondoc.Value{written, derived}
	if a.compared[pair] {
		return
	}
	a.compared[pair] = true
	// A difference in defaults would not show in a call that omits the value.
	if x, y := written.Get("default"), derived.Get("default"); !a.output && x != nil && y != nil && !x.Equal(y) {
		a.disagree(at, fmt.Sprintf("the default is %s in the schema, but %s in the Go type", shown(x), shown(y)), "write the same one")
	}
	written, said, isWritten := resolved(a.written, written)
	derived, known, isDerived := resolved(a.derived, derived)
	if !isWritten || !isDerived {
		return
	}
	switch {
	case !a.output && said&^known != 0:
		a.otherType(at, said, known)
	case a.output && known&^jsondoc.TypeNull != 0 && known&^jsondoc.TypeNull&said == 0:
		known &^= jsondoc.TypeNull
		a.disagree(at, fmt.Sprintf("the type is %s in the schema, but the Go type writes %s", said, known), `write "type":`+known.Keyword())
	}
	common := said & known
	if written.Listed() != nil || derived.Listed() != nil {
		common = 0 // the parts of listed values are not compared
	}
	if common&jsondoc.TypeObject != 0 {
		a.object(at, written, derived)
	}
	if common&jsondoc.TypeArray != 0 {
		heads, item := written.ItemSchemas()
		if heads == nil {
			a.value(at.below("[]"), item, derived.Get("items"))
		}
	}
}

// notCompared are the keywords of schemas that consist of others.
var notCompared = []string{"allOf", "anyOf", "oneOf", "$ref", "$dynamicRef"}

// maxReferences is the length of the longest chain of references that is followed.
const maxReferences = 50

// resolved follows the references of a schema, and returns the schema at the end with the types that it allows. Of a
// schema that allows null by anyOf, it returns the other alternative. It returns false for other schemas that consist of
// several.
func resolved(root, s *jsondoc.Value) (end *jsondoc.Value, types jsondoc.Types, ok bool) {
	var null jsondoc.Types
	for range maxReferences {
		arms := s.Get("anyOf").Elements()
		pointer, isLocal := jsondoc.LocalPointer(s.Get("$ref").Text())
		switch {
		case isLocal && isAlone(s, "$ref"):
			s = root.At(pointer)
		case len(arms) == 2 && arms[1].Get("type").Text() == "null" && isAlone(s, "anyOf"):
			s, null = arms[0], jsondoc.TypeNull
		default:
			isWhole := s.IsSchema() && !slices.ContainsFunc(notCompared, func(keyword string) bool { return s.Get(keyword) != nil })
			return s, s.AllowedTypes() | null, isWhole
		}
	}
	return nil, 0, false
}

// isAlone reports whether a schema has no keywords but this one, annotations, and those that describe the document.
func isAlone(s *jsondoc.Value, keyword string) bool {
	return !slices.ContainsFunc(s.Members, func(m jsondoc.Member) bool {
		return m.Name != keyword && !jsondoc.IsAnnotation(m.Name) && !jsondoc.IsOfDocument(m.Name)
	})
}

// object compares the members of objects.
func (a *agreement) object(at goLocation, written, derived *jsondoc.Value) {
	a.members(at, written, derived)
	a.required(at, written, derived)
	rest, known := restOf(written), restOf(derived)
	switch {
	case rest.RefusesAll(): // no value contains other members
	case !known.RefusesAll():
		a.value(at.below("{}"), rest, known)
	case !a.output:
		a.disagree(at, "the schema allows additional members, but the Go type rejects them",
			`write "additionalProperties":false, or _ struct{} with jsonschema:"additionalProperties=true" in the type`)
	}
}

// members compares the members that the documents describe.
func (a *agreement) members(at goLocation, written, derived *jsondoc.Value) {
	known := derived.Get("properties").Entries()
	for _, m := range written.Get("properties").Entries() {
		in, want := a.member(at, m.Name), memberOf(derived, m.Name)
		switch {
		case m.Value.RefusesAll(): // no value contains it
		case want.RefusesAll():
			a.unknownMember(in, m.Name, known)
		default:
			a.value(in, m.Value, want)
		}
	}
	for _, m := range known {
		if a.output && memberOf(written, m.Name).RefusesAll() {
			a.disagree(a.member(at, m.Name), "the Go type writes it, but the schema does not allow it", `describe it, or leave the field out with json:"-"`)
		}
	}
}

// required compares which members must be present.
func (a *agreement) required(at goLocation, written, derived *jsondoc.Value) {
	must, given := derived.Get("required").Texts(), written.Get("required").Texts()
	if a.output {
		must, given = given, must
	}
	for _, name := range must {
		in, isDescribed := a.member(at, name), written.Get("properties").Get(name) != nil
		switch {
		case slices.Contains(given, name):
		case !a.output && isDescribed:
			a.disagree(in, "the Go type requires it, but the schema does not", `add it to "required", or make the field a pointer`)
		case !a.output:
			a.disagree(in, "the Go type requires it, but the schema does not", `describe it and add it to "required", or make the field a pointer`)
		case derived.Get("properties").Get(name) != nil:
			a.disagree(in, "the schema requires it, but the Go type may omit it", `drop it from "required", or drop omitempty or omitzero from the field`)
		case restOf(derived).RefusesAll() && !isDescribed:
			a.unknownMember(in, name, derived.Get("properties").Entries())
		}
	}
}

// memberOf returns the schema of a member, nil if it has none or if that depends on patterns.
func memberOf(s *jsondoc.Value, name string) *jsondoc.Value {
	if described := s.Get("properties").Get(name); described != nil || s.Get("patternProperties") != nil {
		return described
	}
	return restOf(s)
}

// restOf returns the schema of the members that are not described, nil if there is none.
func restOf(s *jsondoc.Value) *jsondoc.Value {
	return cmp.Or(s.Get("additionalProperties"), s.Get("unevaluatedProperties"))
}

func shown(v *jsondoc.Value) string { return show.Clip(string(v.AppendTo(nil)), show.MaxText) }

// otherType adds the error for JSON types that the schema allows and the type does not read.
func (a *agreement) otherType(at goLocation, said, known jsondoc.Types) {
	fix := `write "type":` + known.Keyword()
	switch {
	case said&known == 0:
		a.disagree(at, fmt.Sprintf("the type is %s in the schema, but the Go type reads %s", said, known), fix)
	case said == jsondoc.AnyType:
		a.disagree(at, fmt.Sprintf("the schema allows any value, but the Go type reads %s", known), fix)
	case said&^known == jsondoc.TypeNull:
		a.disagree(at, "the schema allows null, but the Go type rejects it", `drop it, or write jsonschema:"nullable" on a pointer, slice or map`)
	default:
		a.disagree(at, fmt.Sprintf("the schema allows %s, but the Go type reads %s", said&^known, known), fix)
	}
}

// unknownMember adds the error for a member that the type does not have.
func (a *agreement) unknownMember(at goLocation, name string, known []jsondoc.Member) {
	var names []string
	for _, m := range known {
		names = append(names, m.Name)
	}
	fix, reason := "drop the property, or add the field", "the schema has it, but the Go type has no such field"
	if near := suggest.Nearest(name, names); near != "" {
		fix = fmt.Sprintf("write %q, or add the field", near)
	}
	if a.output {
		reason = "the schema has it, but the Go type never writes it"
	}
	a.disagree(at, reason, fix)
}

// disagree adds the error for one difference at a location.
func (a *agreement) disagree(at goLocation, reason, fix string) {
	a.errs = append(a.errs, &typeError{Type: walk.NameOf(at.Owner), Path: at.Path, Field: at.GoPath, Reason: reason, Fix: fix})
}

// A goLocation is a location in the values of a Go type.
type goLocation struct {
	walk.Location
	node *codec.Node // nil if unknown
}

// member returns the location of a member.
func (a *agreement) member(at goLocation, name string) goLocation {
	in := goLocation{Location: at.Member(at.Owner, at.GoPath, name)}
	if n := at.node; n != nil && n.Kind == codec.KindStruct {
		in.Owner, in.GoPath = n.GoType, ""
		if i := n.FieldNamed(name); i >= 0 {
			in.GoPath = a.shapes[n].Members[i].GoPath
		}
	}
	if below := at.node.Member(name); below != nil {
		in.node = below.Bare()
	}
	return in
}

// below returns the location of the elements of an array or of the members of a map.
func (l goLocation) below(step string) goLocation {
	l.Path += step
	if l.node != nil && l.node.Elem != nil {
		l.node = l.node.Elem.Bare()
	}
	return l
}
