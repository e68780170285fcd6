package reflectschema

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/suggest"
)

// A shape contains the properties of a struct that only its schema needs.
type shape struct {
	at          typeLocation
	members     []structMember // parallel to node.fields
	settings    []setting      // of the blank field
	description string
}

// isWhole reports whether every field of t, the type of the shape, is a member: none is blank, omitted, or embedded
// without a name.
func (s *shape) isWhole(t reflect.Type) bool {
	if len(s.members) != t.NumField() {
		return false
	}
	for i := range s.members {
		if len(s.members[i].index) > 1 {
			return false
		}
	}
	return true
}

// settle reads the tags of a struct, once the types of its members are known, and determines which members are optional
// or nullable.
func (r *resolver) settle(n *node) {
	s := n.shape
	r.settleType(n)
	n.fields = make([]field, 0, len(s.members))
	for i := range s.members {
		m := &s.members[i]
		at := s.at.member(n.goType, m.goPath, m.name)
		if m.quoted {
			m.node = r.quote(m, at)
		}
		tag := parseFieldTag(m.pairs)
		m.settings = tag.settle(m.node)
		m.description = tag.description
		if f := r.decidePresence(m, &tag); f != nil {
			tag.mistakes = append(tag.mistakes, *f)
		}
		r.add(at, tag.mistakes...)
		n.fields = append(n.fields, m.field)
	}
	r.checkDependents(s, n)
}

// checkDependents finds keywords dependentRequired that do not name another member of the struct.
func (r *resolver) checkDependents(s *shape, n *node) {
	names := make([]string, len(s.members))
	for i := range s.members {
		names[i] = s.members[i].name
	}
	for i := range s.members {
		m := &s.members[i]
		given := map[string]bool{}
		for name, text := range m.dependents() {
			found := mistake{tag: text, fix: "name another field of the struct by its name in JSON"}
			switch {
			case name == m.name:
				found.reason = "a field does not depend on itself"
			case given[name]:
				found.reason, found.fix = fmt.Sprintf("it names %q twice", name), "name each field once"
			case !slices.Contains(names, name):
				found.reason = fmt.Sprintf("no field has the name %q in JSON", name)
				if near := suggest.Nearest(name, names); near != "" {
					found.fix = "write " + near
				}
			default:
				given[name] = true
				continue
			}
			r.add(s.at.member(n.goType, m.goPath, m.name), found)
		}
	}
}

// dependents returns the names of the members that must be present if m is, with the keyword in the tag.
func (m *structMember) dependents() iter.Seq2[string, string] {
	return func(yield func(name, text string) bool) {
		for _, s := range m.settings {
			if s.keyword.name == "dependentRequired" && !yield(jsondoc.Parse(s.value).Text(), s.text) {
				return
			}
		}
	}
}

// decidePresence determines when a member may be absent and when it may be null.
func (r *resolver) decidePresence(m *structMember, tag *fieldTag) *mistake {
	for _, s := range m.settings {
		if s.keyword.name == "default" {
			m.def = s.value
		}
	}
	leftOut := m.omitEmpty || m.omitZero || m.belowPointer
	if m.def != nil {
		m.omitEmpty, m.omitZero = false, false // a reader would take the default for the empty value
	}
	pointers := 0
	for n := m.node; n.kind == kindPointer; n = n.elem {
		pointers++
	}
	m.nullable = tag.has("nullable")
	if r.direction == Input {
		m.optional = !tag.has("required") && (leftOut || pointers > 0 || tag.has("optional") || tag.has("default"))
		return nil
	}
	m.nullable = m.nullable || pointers > 1 || (pointers == 1 && !m.omitEmpty && !m.omitZero)
	m.optional = leftOut || tag.has("optional")
	if m.belowPointer {
		m.def = nil // absent means that the embedded pointer is nil
	}
	m.nullable = m.nullable || m.node.kind == kindUnion && m.optional && m.def != nil
	m.absentZero = leftOut && m.def == nil
	if r.direction == Stored {
		m.storePresence(tag)
		return nil
	}
	if tag.has("writeOnly") {
		return &mistake{tag: "writeOnly", reason: "an output sends the field back", fix: `drop it, or leave the field out of the result with json:"-" or a type of its own`}
	}
	if leftOut && tag.has("required") {
		return &mistake{tag: "required", reason: "an output leaves this field out when it is empty", fix: "drop omitempty, omitzero or the embedded pointer, or drop required"}
	}
	if m.omitEmpty && !m.omitZero && neverEmpty(m.goType) != "" {
		used, _ := parseJSONTag(m.pairs, false)
		return &mistake{
			tag: used.text, reason: fmt.Sprintf("encoding/json never omits %s because of omitempty, and writes its zero value", neverEmpty(m.goType)),
			fix: "use omitzero",
		}
	}
	return nil
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
func (m *structMember) storePresence(tag *fieldTag) {
	m.optional = m.optional || m.def != nil
	if (m.omitEmpty || tag.has("optional")) && m.def == nil && !m.belowPointer {
		m.omitZero = true
	}
	m.absentZero = m.optional && m.def == nil
}

// quote returns the node of a member with json:",string".
func (r *resolver) quote(m *structMember, at typeLocation) *node {
	target := m.node
	if target.kind == kindPointer && target.goType.Name() == "" {
		target = target.elem
	}
	switch {
	case target.registered != nil:
		r.refuse(at, fmt.Sprintf(`json:",string" has no effect on %s, whose schema is registered`, target.goType), "drop the option")
		return m.node
	case slices.Contains([]nodeKind{kindBool, kindInt, kindUint, kindFloat}, target.kind):
	case target.kind == kindString:
		r.refuse(at, `json:",string" on a string puts JSON inside JSON`, "drop the option")
		return m.node
	default:
		r.refuse(at, fmt.Sprintf(`json:",string" means nothing for %s`, m.goType), "drop the option")
		return m.node
	}
	key := nodeKey{m.goType, true}
	if n, ok := r.nodes[key]; ok {
		return n
	}
	n := &node{goType: target.goType, kind: target.kind, quoted: true}
	if target != m.node {
		n = &node{goType: m.node.goType, kind: kindPointer, elem: n}
	}
	r.nodes[key] = n
	return n
}
