package reflectschema

import (
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

func (p *plan) encodeStruct(dst []byte, v reflect.Value, depth, most int) ([]byte, bool) {
	return p.encodeMembers(append(dst, '{'), v, 0, depth, most)
}

// encodeMembers appends the fields of a struct to an object that has n members, and closes it.
func (p *plan) encodeMembers(dst []byte, v reflect.Value, n, depth, most int) ([]byte, bool) {
	if depth >= authority.MaxDepth || len(dst) > most {
		return dst, false
	}
	s := p.shape
	for i := range s.fields {
		f := &s.fields[i]
		var member reflect.Value
		there := true
		if f.at >= 0 {
			member = v.Field(f.at)
		} else {
			member, there = fieldAt(v, f.index)
		}
		if !there || f.mayOmit && omits(p.direction, f.field, member) {
			if s.required.has(i) {
				return dst, false
			}
			continue
		}
		key := f.key
		if n == 0 {
			key = key[1:] // without the comma
		}
		n++
		var ok bool
		if dst, ok = f.plan.encode(append(dst, key...), member, depth+1, most); !ok {
			return dst, false
		}
	}
	return append(dst, '}'), p.rules.Object.AllowsLength(n)
}

func (p *plan) encodeList(dst []byte, v reflect.Value, depth, most int) ([]byte, bool) {
	if depth >= authority.MaxDepth {
		return dst, false
	}
	dst = append(dst, '[')
	n := v.Len()
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		var ok bool
		if dst, ok = p.elem.encode(dst, v.Index(i), depth+1, most); !ok || len(dst) > most {
			return dst, false
		}
	}
	return append(dst, ']'), p.rules.List.AllowsLength(n) && (!p.rules.List.Unique || allDifferent(v))
}

// An entry is a member of a map on its way out.
type entry struct {
	name  string
	value reflect.Value
}

func (p *plan) encodeMap(dst []byte, v reflect.Value, depth, most int) ([]byte, bool) {
	if depth >= authority.MaxDepth {
		return dst, false
	}
	entries := make([]entry, 0, v.Len())
	for iter := v.MapRange(); iter.Next(); {
		name, err := writeKey(p.node.key, iter.Key(), nil)
		if err != nil || !utf8.ValidString(name) {
			return dst, false
		}
		entries = append(entries, entry{name, iter.Value()})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	dst = append(dst, '{')
	required := 0
	for i, e := range entries {
		if i > 0 {
			if e.name == entries[i-1].name {
				return dst, false
			}
			dst = append(dst, ',')
		}
		dst = append(jsondoc.AppendString(dst, e.name), ':')
		member := p.member([]byte(e.name))
		names := p.rules.Object.Names
		if member == nil || names != nil && !names.Resolved().AllowsWritten([]byte(e.name), len(dst)) {
			return dst, false
		}
		var ok bool
		if dst, ok = member.encode(dst, e.value, depth+1, most); !ok || len(dst) > most {
			return dst, false
		}
		if p.rules.Object.Required[e.name] {
			required++
		}
	}
	return append(dst, '}'), required == len(p.rules.Object.Required) && p.rules.Object.AllowsLength(len(entries))
}
