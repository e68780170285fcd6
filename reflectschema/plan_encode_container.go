package reflectschema

import (
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// enter counts a container that is opened with the text start.
func (w *writer) enter(start string) bool {
	w.depth++
	w.out = append(w.out, start...)
	return w.depth <= maxDepth
}

func (w *writer) leave(c byte) {
	w.depth--
	w.out = append(w.out, c)
}

func (p *plan) encodeStruct(w *writer, v reflect.Value) bool {
	return w.enter("{") && p.encodeMembers(w, v, 0)
}

// encodeMembers appends the fields of a struct to an object that has n members.
func (p *plan) encodeMembers(w *writer, v reflect.Value, n int) bool {
	s := p.shape
	var seen fieldSet
	for i := range s.fields {
		f := &s.fields[i]
		var fv reflect.Value
		if f.at >= 0 {
			fv = v.Field(f.at)
		} else {
			var there bool
			if fv, there = fieldAt(v, f.index); !there {
				continue
			}
		}
		if f.mayOmit && omits(w.direction, f.field, fv) {
			continue
		}
		key := f.key
		if n == 0 {
			key = key[1:] // without the comma
		}
		n++
		seen.add(i)
		w.out = append(w.out, key...)
		if !f.plan.encode(w, fv) {
			return false
		}
	}
	w.leave('}')
	return seen.covers(&s.required) && p.rules.object.allowsLength(n)
}

func (p *plan) encodeList(w *writer, v reflect.Value) bool {
	if !w.enter("[") {
		return false
	}
	n := v.Len()
	for i := range n {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		if !p.elem.encode(w, v.Index(i)) {
			return false
		}
	}
	w.leave(']')
	return p.rules.list.allowsLength(n) && (!p.rules.list.unique || allDifferent(v))
}

// An entry is a member of a map on its way out.
type entry struct {
	name  string
	value reflect.Value
}

func (p *plan) encodeMap(w *writer, v reflect.Value) bool {
	if !w.enter("{") {
		return false
	}
	entries := make([]entry, 0, v.Len())
	for iter := v.MapRange(); iter.Next(); {
		name, err := writeKey(p.node.key, iter.Key(), nil)
		if err != nil || !utf8.ValidString(name) {
			return false
		}
		entries = append(entries, entry{name, iter.Value()})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	required := 0
	for i, e := range entries {
		if i > 0 {
			if e.name == entries[i-1].name {
				return false
			}
			w.out = append(w.out, ',')
		}
		w.out = append(appendString(w.out, e.name), ':')
		member := p.member([]byte(e.name))
		if member == nil || !p.rules.object.allowsName([]byte(e.name)) || !member.encode(w, e.value) {
			return false
		}
		if p.rules.object.required[e.name] {
			required++
		}
	}
	w.leave('}')
	return required == len(p.rules.object.required) && p.rules.object.allowsLength(len(entries))
}
