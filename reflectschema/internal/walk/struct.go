package walk

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// A Shape contains the properties of a struct that only its schema needs.
type Shape struct {
	At          Location
	Members     []Member      // parallel to Node.Fields
	settings    []tag.Setting // of the blank field
	description string
}

// isWhole reports whether every field of t, the type of the shape, is a member: none is blank, omitted, or embedded
// without a name.
func (s *Shape) isWhole(t reflect.Type) bool {
	if len(s.Members) != t.NumField() {
		return false
	}
	for i := range s.Members {
		if len(s.Members[i].Index) > 1 {
			return false
		}
	}
	return true
}

// settle reads the tags of a struct, once the types of its members are known, and determines which members are optional
// or nullable.
func (r *Resolver) settle(n *codec.Node) {
	s := r.Shapes[n]
	r.settleType(n)
	n.Fields = make([]codec.Field, 0, len(s.Members))
	for i := range s.Members {
		m := &s.Members[i]
		at := s.At.Member(n.GoType, m.GoPath, m.Name)
		if m.quoted {
			m.Node = r.quote(m, at)
		}
		tags := tag.Parse(m.pairs)
		m.Settings = tags.Settle(m.Node)
		tags.Mistakes = append(tags.Mistakes, m.limit()...)
		m.description = tags.Description
		r.dropOmitEmpty(m, &tags)
		if f := r.decidePresence(m, &tags); f != nil {
			tags.Mistakes = append(tags.Mistakes, *f)
		}
		if len(tags.Mistakes) > 0 && (m.Node.Kind == codec.KindOptional || r.isStrict(m.owner)) {
			r.Add(at, tags.Mistakes...)
		}
		n.Fields = append(n.Fields, m.Field)
	}
	r.checkDependents(s, n)
}

// checkDependents finds keywords dependentRequired that do not name another member of the struct.
func (r *Resolver) checkDependents(s *Shape, n *codec.Node) {
	names := make([]string, len(s.Members))
	for i := range s.Members {
		names[i] = s.Members[i].Name
	}
	for i := range s.Members {
		m := &s.Members[i]
		given := map[string]bool{}
		for name, text := range m.dependents() {
			found := tag.Mistake{Tag: text, Fix: "name another field of the struct by its name in JSON"}
			switch {
			case name == m.Name:
				found.Reason = "a field does not depend on itself"
			case given[name]:
				found.Reason, found.Fix = fmt.Sprintf("it names %q twice", name), "name each field once"
			case !slices.Contains(names, name):
				found.Reason = fmt.Sprintf("no field has the name %q in JSON", name)
				if near := suggest.Nearest(name, names); near != "" {
					found.Fix = "write " + near
				}
			default:
				given[name] = true
				continue
			}
			r.Add(s.At.Member(n.GoType, m.GoPath, m.Name), found)
		}
	}
}

// dependents returns the names of the members that must be present if m is, with the keyword in the tag.
func (m *Member) dependents() iter.Seq2[string, string] {
	return func(yield func(name, text string) bool) {
		for _, s := range m.Settings {
			if s.Keyword.Name == "dependentRequired" && !yield(jsondoc.Parse(s.Value).Text(), s.Text) {
				return
			}
		}
	}
}

// decidePresence determines when a member may be absent and when it may be null.
func (r *Resolver) decidePresence(m *Member, tags *tag.Tags) *tag.Mistake {
	for _, s := range m.Settings {
		if s.Keyword.Name == "default" {
			m.Def = s.Value
		}
	}
	if m.Node.Kind == codec.KindOptional {
		return r.optionalPresence(m, tags)
	}
	leftOut := m.OmitEmpty || m.OmitZero || m.belowPointer
	if m.Def != nil {
		m.OmitEmpty, m.OmitZero = false, false // a reader would take the default for the empty value
	}
	pointers := 0
	for n := m.Node; n.Kind == codec.KindPointer; n = n.Elem {
		pointers++
	}
	m.Nullable = tags.Has("nullable")
	if r.direction == codec.Input {
		m.Optional = !tags.Has("required") && (leftOut || pointers > 0 || tags.Has("optional") || tags.Has("default"))
		return nil
	}
	m.Nullable = m.Nullable || pointers > 1 || (pointers == 1 && !m.OmitEmpty && !m.OmitZero)
	m.Optional = leftOut || tags.Has("optional")
	if m.belowPointer {
		m.Def = nil // absent means that the embedded pointer is nil
	}
	m.Nullable = m.Nullable || m.Node.Kind == codec.KindUnion && m.Optional && m.Def != nil
	m.AbsentZero = leftOut && m.Def == nil
	if r.direction == codec.Stored {
		m.storePresence(tags)
		return nil
	}
	if tags.Has("writeOnly") {
		return &tag.Mistake{Tag: "writeOnly", Reason: "an output sends the field back", Fix: `drop it, or leave the field out of the result with json:"-" or a separate type`}
	}
	if leftOut && tags.Has("required") {
		return &tag.Mistake{Tag: "required", Reason: "an output omits this field when it is empty", Fix: "drop omitempty, omitzero or the embedded pointer, or drop required"}
	}
	return nil
}

// dropOmitEmpty drops omitempty from a field of an output whose type encoding/json never omits because of it. It is a
// mistake, because an author expects that the field is left out.
func (r *Resolver) dropOmitEmpty(m *Member, tags *tag.Tags) {
	if r.direction != codec.Output || !m.OmitEmpty || m.OmitZero || tags.Has("default") || tags.Has("required") || neverEmpty(m.goType) == "" {
		return
	}
	m.OmitEmpty = false
	used, _ := tag.ParseJSON(m.pairs, false)
	tags.Mistakes = append(tags.Mistakes, tag.Mistake{
		Tag: used.Text, Reason: fmt.Sprintf("encoding/json never omits %s because of omitempty, and writes its zero value", neverEmpty(m.goType)),
		Fix: "use omitzero",
	})
}

// optionalPresence is decidePresence for an optional, whose zero value is absent.
func (r *Resolver) optionalPresence(m *Member, tags *tag.Tags) *tag.Mistake {
	m.Optional, m.Nullable, m.OmitEmpty, m.OmitZero, m.AbsentZero = true, true, false, true, true
	value := m.Node.Bare().GoType
	switch {
	case m.Def != nil:
		m.Def = nil
		return &tag.Mistake{Tag: "default", Reason: fmt.Sprintf("a default would replace an absent field, which %s tells from null", m.goType), Fix: fmt.Sprintf("drop it, or use %s", value)}
	case tags.Has("required"):
		return &tag.Mistake{Tag: "required", Reason: fmt.Sprintf("%s may be absent", m.goType), Fix: fmt.Sprintf("drop it, or use *%s with nullable", value)}
	default:
		return nil
	}
}

// neverEmpty describes a type on which omitempty has no effect; "" for other types.
func neverEmpty(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "a time.Time"
	case t.Kind() == reflect.Struct:
		return "a struct"
	case t.Kind() == reflect.Array && t.Len() > 0:
		return "an array"
	default:
		return ""
	}
}

// storePresence is decidePresence for values that are encoded and decoded again. An absent member was omitted because
// it was zero. A member with a default is never omitted, so if it is absent, it was stored before the field existed.
// All other members that an input may omit can be stored as absent: an omitted zero value need not satisfy the
// constraints of the field.
func (m *Member) storePresence(tags *tag.Tags) {
	m.Optional = m.Optional || m.Def != nil
	if (m.OmitEmpty || tags.Has("optional")) && m.Def == nil && !m.belowPointer {
		m.OmitZero = true
	}
	m.AbsentZero = m.Optional && m.Def == nil
}

// quote returns the node of a member with json:",string". encoding/json ignores the option on types other than bools,
// numbers and strings.
func (r *Resolver) quote(m *Member, at Location) *codec.Node {
	target := m.Node
	if target.Kind == codec.KindPointer && target.GoType.Name() == "" {
		target = target.Elem
	}
	reason := ""
	switch {
	case target.Registered != nil:
		reason = fmt.Sprintf(`json:",string" has no effect on %s, whose schema is registered`, target.GoType)
	case slices.Contains([]codec.Kind{codec.KindBool, codec.KindInt, codec.KindUint, codec.KindFloat, codec.KindNumber}, target.Kind):
	case target.Kind == codec.KindString:
		if r.isStrict(m.owner) || HookOf(target.GoType) != nil { // a hook describes the text, not the JSON in it
			r.Refuse(at, `json:",string" on a string puts JSON inside JSON`, "drop the option")
			return m.Node
		}
	default:
		reason = fmt.Sprintf(`json:",string" has no effect on %s`, m.goType)
	}
	if reason != "" {
		if r.isStrict(m.owner) {
			r.Refuse(at, reason, "drop the option")
		}
		return m.Node
	}
	key := nodeKey{m.goType, true}
	if n, ok := r.nodes[key]; ok {
		return n
	}
	n := &codec.Node{GoType: target.GoType, Kind: target.Kind, Quoted: true}
	if target != m.Node {
		n = &codec.Node{GoType: m.Node.GoType, Kind: codec.KindPointer, Elem: n}
	}
	r.nodes[key] = n
	return n
}
