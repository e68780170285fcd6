package reflectschema

import (
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/schemacompare"
)

// Agrees reports whether s, which was written by hand, can be published for the type in place of the derived schema. The
// error is a [TypeErrors] with every difference that prevents that, its location, and a fix.
//
// The schema of an input may be stricter than the type, but not weaker: the type must read every value that fits. So the
// schema must not have members that the type does not have, must close objects and require members as the type does, must
// not allow other JSON types, must have bounds that are at least as strict, and must not list values that the type cannot
// decode. Where the type has a pattern or a format, another pattern counts as strict enough, because patterns cannot be
// compared; where it limits the names of members, so does any propertyNames.
//
// The schema of an output may promise more than the type; each result is then checked against it. It must not promise
// what no value of the type fulfils: another JSON type, a required member that the type does not write or may leave out,
// an object that is closed to members which the type writes, only values that the type never has.
//
// Alternatives agree if each of them does. Keywords that only narrow a schema, such as not and if, are ignored, and so is
// what the methods of a type may refuse to read.
func (t *Type) Agrees(s *Schema) error {
	a := &agreement{typ: t, output: t.opts.Direction == Output, checks: map[*jsondoc.Value]*Schema{}}
	written, derived := schemacompare.NewDocument(s.doc()), schemacompare.NewDocument(t.schema.doc())
	var errs TypeErrors
	if a.output {
		errs = a.words(schemacompare.Compare(derived, written, schemacompare.Options{}), a.unwritable)
		errs = appendNew(errs, a.words(schemacompare.Compare(written, derived, schemacompare.Options{Accepts: a.accepts}), a.unwritten))
	} else {
		errs = a.words(readable(schemacompare.Compare(written, derived, schemacompare.Options{Defaults: true, Accepts: a.accepts})), a.unreadable)
	}
	if len(errs) == 0 {
		return nil
	}
	return errs
}

// agreement words the differences between a schema that was written by hand and the one of a type.
type agreement struct {
	typ    *Type
	output bool
	checks map[*jsondoc.Value]*Schema // of parts of the derived schema
}

// words says the differences with one of the methods below, which returns nil for what does not matter.
func (a *agreement) words(found []schemacompare.Difference, word func(schemacompare.Difference) TypeErrors) (errs TypeErrors) {
	for _, d := range found {
		if d.Nearest != nil && d.Doubt != schemacompare.Unknown {
			errs = appendNew(errs, a.words(d.Nearest, word))
			continue
		}
		errs = appendNew(errs, word(d))
	}
	return errs
}

// appendNew appends what is not in the list yet: alternatives may share a mistake.
func appendNew(errs, more TypeErrors) TypeErrors {
	for _, e := range more {
		if !slices.ContainsFunc(errs, func(known *TypeError) bool { return *known == *e }) {
			errs = append(errs, e)
		}
	}
	return errs
}

// accepts reports whether a value fits a part of the derived schema and the Go type there reads it; or whether a name is one
// that a member can have.
func (a *agreement) accepts(at schemacompare.Location, derived, v *jsondoc.Value) bool {
	if last := len(at.Path) - 1; last >= 0 && at.Path[last].Index == jsondoc.MemberNames {
		return a.acceptsKey(at, derived, v)
	}
	raw := v.AppendTo(nil)
	if a.schemaOf(derived).Check(raw) != nil {
		return false
	}
	n := a.member(at).choose(schemacompare.Branch{derived}).node
	if n == nil || n.kind == kindUnion {
		return true // its own schema has said it all
	}
	dec := newDecoder(raw)
	dec.value(n, reflect.New(n.goType).Elem(), nil)
	return dec.violations.Total == 0
}

// acceptsKey reports whether an object can have a member of a name. The location is that of its names.
func (a *agreement) acceptsKey(at schemacompare.Location, derived, name *jsondoc.Value) bool {
	owner := len(at.Path) - 1
	n := a.member(schemacompare.Location{Path: at.Path[:owner], Parents: at.Parents[:owner]}).node
	if n != nil && n.kind == kindMap && !a.output {
		if _, want := readKey(n.key, name.Text()); want != "" {
			return false
		}
	}
	return derived == nil || a.schemaOf(derived).Check(name.Raw) == nil
}

// schemaOf returns a part of the derived schema as a schema of its own.
func (a *agreement) schemaOf(part *jsondoc.Value) *Schema {
	s := a.checks[part]
	if s == nil {
		doc := part
		if defs := a.typ.schema.doc().Get("$defs"); defs != nil && doc.Get("$defs") == nil && doc.Kind == '{' {
			doc = doc.With("$defs", defs)
		}
		s = newSchema(doc.AppendTo(nil))
		a.checks[part] = s
	}
	return s
}

// A goLocation is a location in the values of a Go type.
type goLocation struct {
	path  string       // items[].qty
	owner reflect.Type // the struct that holds it, or the root
	field string       // of the owner, "" if it is none
	node  *node        // what is there, nil if that is not known
}

// member returns where in the Go type a location is.
func (a *agreement) member(at schemacompare.Location) goLocation {
	l := goLocation{owner: a.typ.goType, node: a.typ.root().bare()}
	for i, step := range at.Path {
		parent := at.Parents[i]
		l = l.choose(append(slices.Clip(parent.Sub), parent.Super))
		switch step.Index {
		case jsondoc.NamedMember:
			l = l.member(step.Name)
		case jsondoc.AnyMember:
			l = l.below("{}")
		case jsondoc.MemberNames:
			l.path, l.node = l.path+"{name}", nil
		default:
			l = l.below("[]")
		}
	}
	return l
}

// choose is the location for the alternative of a union that one of the schemas describes.
func (l goLocation) choose(schemas schemacompare.Branch) goLocation {
	if l.node == nil || l.node.kind != kindUnion {
		return l
	}
	for _, d := range schemas {
		if n := l.node.branch(d); n != nil {
			return l.of(n)
		}
	}
	return l.of(nil)
}

// member is the location of a member.
func (l goLocation) member(name string) goLocation {
	in := goLocation{path: name, owner: l.owner, field: l.field}
	if l.path != "" {
		in.path = l.path + "." + name
	}
	n := l.node
	if n == nil {
		return in
	}
	if n.kind == kindStruct {
		in.owner, in.field = n.goType, ""
		if i := n.fieldNamed(name); i >= 0 && n.shape != nil {
			in.field = n.shape.members[i].goPath
		}
	}
	return in.of(n.named(name))
}

// below is the location of the elements of an array or of the members of a map.
func (l goLocation) below(step string) goLocation {
	l.path += step
	if l.node != nil {
		return l.of(l.node.elem)
	}
	return l
}

func (l goLocation) of(n *node) goLocation {
	if n != nil {
		n = n.bare()
	}
	l.node = n
	return l
}

// disagree is one disagreement at the location.
func (l goLocation) disagree(reason, fix string) *TypeError {
	return &TypeError{Type: nameOf(l.owner), Path: l.path, Field: l.field, Reason: reason, Fix: fix}
}
