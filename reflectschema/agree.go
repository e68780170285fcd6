package reflectschema

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
	"github.com/mcptool-go/mcptool/reflectschema/internal/walk"
)

// Agrees returns an error if s, which was written by hand, cannot be published for the type in place of the derived
// schema. It compares names, types, required members, and the defaults of inputs. The error is a [TypeErrors] with each
// difference, its location, and a fix.
//
// The schema of an input must not describe members that the type does not have, must close objects and require members
// as the type does, and must not allow other JSON types. The schema of an output may promise more than the type, but
// nothing that all values of the type violate: another JSON type, a required member that the type does not write or may
// omit, an object that is closed to members that the type writes.
//
// Alternatives are compared together. Not compared are bounds, patterns, formats, listed values, the names of map
// members, and the targets of references other than "#/…": a value that fits only one of the schemas is an error when
// it is decoded or encoded.
func (t *Type) Agrees(s *Schema) error {
	a := agreement{output: t.opts.Direction == Output, written: jsondoc.Splitter{Root: s.doc()}, derived: jsondoc.Splitter{Root: t.schema.doc()}, known: map[string]bool{}}
	root := t.root().Bare()
	errs := a.value(goLocation{owner: t.goType, node: root, shapes: t.graph.shapes}, jsondoc.Alternatives{{s.doc()}}, jsondoc.Alternatives{{t.schema.doc()}})
	if len(errs) == 0 {
		return nil
	}
	return errs
}

// An agreement compares a schema that was written by hand with the derived schema of a type.
type agreement struct {
	output           bool
	written, derived jsondoc.Splitter
	known            map[string]bool // pairs of schemas that were compared, by address
}

// value compares the alternatives of both documents for one value.
func (a *agreement) value(at goLocation, written, derived jsondoc.Alternatives) (errs TypeErrors) {
	pair := fmt.Sprint(written, derived) // addresses
	if a.known[pair] {
		return nil
	}
	a.known[pair] = true
	written, isWritten := a.written.Branches(written)
	derived, isDerived := a.derived.Branches(derived)
	if !isWritten || !isDerived {
		return nil
	}
	said, known := written.Types(), derived.Types()
	switch {
	case !a.output && said&^known != 0:
		errs = at.otherType(said, known)
	case a.output && known&^jsondoc.TypeNull != 0 && known&^jsondoc.TypeNull&said == 0:
		known &^= jsondoc.TypeNull
		errs = at.disagree(fmt.Sprintf("the schema says %s, and the Go type writes %s", said, known), `write "type":`+known.Keyword())
	}
	// A difference in defaults would not show in a call that omits the value.
	if x, y := slices.Concat(written...).With("default"), slices.Concat(derived...).With("default"); !a.output && len(x) > 0 && len(y) > 0 && !x[0].Equal(y[0]) {
		errs = append(errs, at.disagree(fmt.Sprintf("the schema says that the default is %s, and the Go type fills in %s", shown(x[0]), shown(y[0])), "write the same one")...)
	}
	if w, d := written.Of(jsondoc.TypeObject), derived.Of(jsondoc.TypeObject); len(w) > 0 && len(d) > 0 {
		errs = slices.Concat(errs, a.members(at, w, d), a.required(at, w, d))
		if !a.output && d.IsClosed() && !w.IsClosed() {
			errs = append(errs, at.disagree("the schema lets members through that it has no property for, and the Go type refuses them",
				`write "additionalProperties":false, or _ struct{} with jsonschema:"additionalProperties=true" in the type`)...)
		}
		if !w.IsClosed() && !d.IsClosed() {
			errs = append(errs, a.value(at.below("{}"), w.Member(""), d.Member(""))...)
		}
	}
	if w, d := written.Of(jsondoc.TypeArray), derived.Of(jsondoc.TypeArray); len(w) > 0 && len(d) > 0 {
		errs = append(errs, a.value(at.below("[]"), w.Elements(), d.Elements())...)
	}
	return errs
}

// members compares the members that one of the documents describes.
func (a *agreement) members(at goLocation, written, derived jsondoc.Alternatives) (errs TypeErrors) {
	described, known := written.Names(), derived.Names()
	if n := len(described) + len(known); !a.written.Spend(n * n * (len(written) + len(derived))) {
		return nil
	}
	for i, name := range append(slices.Clip(written), derived...).Names() { // names in the written schema come first
		in := at.member(name)
		have, want := written.Member(name), derived.Member(name)
		switch {
		case len(have) == 0 && (!a.output || len(want) == 0): // no value contains it
		case len(want) == 0:
			errs = append(errs, a.unknownMember(in, name, known)...)
		case len(have) == 0 && a.output:
			errs = append(errs, in.disagree("the Go type writes it, and the schema has no place for it", `describe it, or leave the field out with json:"-"`)...)
		case a.output || !derived.IsClosed() || i < len(described):
			errs = append(errs, a.value(in, have, want)...)
		}
	}
	return errs
}

// required compares which members must be present.
func (a *agreement) required(at goLocation, written, derived jsondoc.Alternatives) (errs TypeErrors) {
	described, known := written.Names(), derived.Names()
	must, given := derived.Required(), written.Required()
	if a.output {
		must, given = given, must
	}
	for _, name := range must {
		in, isDescribed := at.member(name), slices.Contains(described, name)
		switch {
		case slices.Contains(given, name):
		case !a.output && isDescribed:
			errs = append(errs, in.disagree("the Go type requires it, and the schema does not", `add it to "required", or make the field a pointer`)...)
		case !a.output:
			errs = append(errs, in.disagree("the Go type requires it, and the schema does not", `describe it and add it to "required", or make the field a pointer`)...)
		case slices.Contains(known, name):
			errs = append(errs, in.disagree("the schema requires it, and the Go type may leave it out", `drop it from "required", or drop omitempty or omitzero from the field`)...)
		case derived.IsClosed() && !isDescribed:
			errs = append(errs, a.unknownMember(in, name, known)...)
		}
	}
	return errs
}

func shown(v *jsondoc.Value) string { return show.Clip(string(v.AppendTo(nil)), show.MaxText) }

// unknownMember returns the error for a member that the type does not have.
func (a *agreement) unknownMember(at goLocation, name string, known []string) TypeErrors {
	fix, reason := "drop the property, or add the field", "the schema has it, and the Go type has no field for it"
	if near := suggest.Nearest(name, known); near != "" {
		fix = fmt.Sprintf("write %q, or add the field", near)
	}
	if a.output {
		reason = "the schema has it, and the Go type never writes it"
	}
	return at.disagree(reason, fix)
}

// A goLocation is a location in the values of a Go type.
type goLocation struct {
	path   string       // items[].qty
	owner  reflect.Type // the struct that contains it, or the root
	field  string       // of the owner, or ""
	node   *codec.Node  // nil if unknown
	shapes map[*codec.Node]*walk.Shape
}

// member returns the location of a member.
func (l goLocation) member(name string) goLocation {
	in := goLocation{path: name, owner: l.owner, field: l.field, shapes: l.shapes}
	if l.path != "" {
		in.path = l.path + "." + name
	}
	n := l.node
	if n != nil && n.Kind == codec.KindUnion {
		if i := slices.IndexFunc(n.Arms, func(a codec.Arm) bool { return a.Node.Bare().Member(name) != nil }); i >= 0 {
			n = n.Arms[i].Node.Bare()
		}
	}
	if n != nil && n.Kind == codec.KindStruct {
		in.owner, in.field = n.GoType, ""
		if i := n.FieldNamed(name); i >= 0 {
			in.field = l.shapes[n].Members[i].GoPath
		}
	}
	if below := n.Member(name); below != nil {
		in.node = below.Bare()
	}
	return in
}

// below returns the location of the elements of an array or of the members of a map.
func (l goLocation) below(step string) goLocation {
	l.path += step
	if l.node != nil && l.node.Elem != nil {
		l.node = l.node.Elem.Bare()
	}
	return l
}

// otherType returns the error for JSON types that the schema allows and the type does not read.
func (l goLocation) otherType(said, known jsondoc.Types) TypeErrors {
	fix := `write "type":` + known.Keyword()
	switch {
	case said&known == 0:
		return l.disagree(fmt.Sprintf("the schema says %s, and the Go type reads %s", said, known), fix)
	case said == jsondoc.AnyType:
		return l.disagree(fmt.Sprintf("the schema lets everything through, and the Go type reads %s", known), fix)
	case said&^known == jsondoc.TypeNull:
		return l.disagree("the schema lets null through, and the Go type refuses it", `drop it, or write jsonschema:"nullable" on a pointer, slice or map`)
	default:
		return l.disagree(fmt.Sprintf("the schema lets %s through, and the Go type reads %s", said&^known, known), fix)
	}
}

// disagree returns the error for one difference at the location.
func (l goLocation) disagree(reason, fix string) TypeErrors {
	return TypeErrors{{Type: walk.NameOf(l.owner), Path: l.path, Field: l.field, Reason: reason, Fix: fix}}
}
