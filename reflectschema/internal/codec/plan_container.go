package codec

import (
	"reflect"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// isUnique reports whether uniqueItems can be checked by comparing Go values, because equal JSON means equal Go values,
// except for strings that are not UTF-8.
func isUnique(n *Node) bool {
	switch n.Elem.Kind {
	case KindString, KindInt, KindUint, KindBool:
		return !n.Elem.Quoted
	default:
		return false
	}
}

// decodeList decodes a slice or an array.
func (p *Plan) decodeList(r *reader, dst reflect.Value) bool {
	more, ok := r.Open('[', ']')
	if !ok {
		return false
	}
	n, room, grows := 0, dst.Len(), p.kind == KindSlice
	if grows && !more {
		dst.Set(reflect.MakeSlice(p.node.GoType, 0, 0))
	}
	for ; more; n++ {
		switch {
		case r.collect != nil:
			if !p.collectElement(r, dst, n) {
				return false
			}
		case n == room && !p.grow(r, dst, n):
			return false
		default:
			if n == room { // it has grown
				room = dst.Cap()
			}
			if grows {
				dst.SetLen(n + 1)
			}
			if !p.elem.decode(r, dst.Index(n)) {
				return false
			}
		}
		if more, ok = r.Next(']'); !ok {
			return false
		}
	}
	if r.collect == nil {
		return n == dst.Len() && p.rules.List.AllowsLength(n) && (!p.rules.List.Unique || allDifferent(dst))
	}
	return grows || r.fill(n, room)
}

// grow makes room for another element after n. It reports false for an array, and if there is not enough memory.
func (p *Plan) grow(r *reader, dst reflect.Value, n int) bool {
	return p.kind == KindSlice && growList(&r.Memory, dst, p.elem.node.GoType, n)
}

// fill reports whether an array of room elements has got n of them.
func (r *reader) fill(n, room int) bool {
	keyword := "minItems"
	switch {
	case n == room:
		return true
	case n > room:
		keyword = "maxItems"
	}
	return r.refuse(Violation{Keyword: keyword, Want: strconv.Itoa(room), Got: strconv.Itoa(n)})
}

// collectElement decodes element n for a reader with a collector. It skips elements beyond the end of an array, and those
// whose violations would not be counted.
func (p *Plan) collectElement(r *reader, dst reflect.Value, n int) bool {
	grows := p.kind == KindSlice
	if r.collect.isFull() || n >= dst.Len() && !grows {
		r.Value()
		return true
	}
	if grows {
		if n == dst.Cap() && !growList(&r.Memory, dst, p.elem.node.GoType, n) {
			return false
		}
		dst.SetLen(n + 1)
	}
	r.collect.enter(jsondoc.Step{Index: n})
	ok := p.elem.decode(r, dst.Index(n))
	r.collect.leave()
	return ok
}

// allDifferent reports whether no two elements of a list are equal.
func allDifferent(list reflect.Value) bool {
	const few = 8
	n := list.Len()
	if n <= few {
		for i := range n {
			for j := range i {
				if list.Index(i).Equal(list.Index(j)) {
					return false
				}
			}
		}
		return true
	}
	seen := make(map[any]struct{}, n)
	for i := range n {
		seen[list.Index(i).Interface()] = struct{}{}
	}
	return len(seen) == n
}

// completeMap binds the values of a map to the rules for its members.
func (b *planner) completeMap(p *Plan) (ok bool) {
	object := &p.rules.Object
	rest := object.Rest
	if rest == nil {
		rest = rules.Anything
	}
	if !object.Closed {
		if p.elem, ok = b.bind(p.node.Elem, rest); !ok {
			return false
		}
	}
	p.named = make(map[string]*Plan, len(object.Members))
	for name, r := range object.Members {
		if p.named[name], ok = b.bind(p.node.Elem, r); !ok {
			return false
		}
	}
	return true
}

// member returns the plan for the value of a member, nil if the member is not allowed.
func (p *Plan) member(name string) *Plan {
	if named, ok := p.named[name]; ok {
		return named
	}
	return p.elem
}

func (p *Plan) decodeMap(r *reader, dst reflect.Value) bool {
	more, ok := r.Open('{', '}')
	if !ok || !r.Memory.Take(mapSize) {
		return false
	}
	m := reflect.MakeMap(p.node.GoType)
	dst.Set(m)
	n, required := 0, 0
	for ; more; n++ {
		name, ok := r.Name()
		if !ok || !p.rules.Object.AllowsName(name, &r.Matched) {
			return false
		}
		if p.rules.Object.Required[string(name)] {
			required++
		}
		if !p.decodeEntry(r, m, string(name)) {
			return false
		}
		if more, ok = r.Next('}'); !ok {
			return false
		}
	}
	return required == len(p.rules.Object.Required) && p.rules.Object.AllowsLength(n)
}

// decodeEntry decodes the value of a member into a map.
func (p *Plan) decodeEntry(r *reader, m reflect.Value, name string) bool {
	key, want := readKey(p.node.Key, name, r.collect.budget())
	member := p.member(name)
	if want != "" && r.collect == nil || member == nil || !takeEntry(&r.Memory, p.node.GoType, m.Len()) {
		return false
	}
	r.collect.enterMember(name)
	value := reflect.New(p.node.Elem.GoType).Elem()
	ok := member.decode(r, value)
	if ok && want != "" {
		r.collect.fail(Violation{Keyword: "propertyNames", Want: want, Got: show.Quote(name, show.MaxText)})
	} else if ok {
		ok = r.setEntry(m, key, value, name)
	}
	r.collect.leave()
	return ok
}

// setEntry adds an entry to a map.
func (r *reader) setEntry(m, key, value reflect.Value, name string) bool {
	before := m.Len()
	err := contain(func() error {
		m.SetMapIndex(key, value) // panics when a key made from text cannot be hashed
		return nil
	})
	switch {
	case err != nil:
		return r.refuse(Violation{Keyword: "propertyNames", Want: "cannot be a key", Got: show.Quote(name, show.MaxText)})
	case m.Len() == before:
		return r.refuse(Violation{Keyword: KeywordDecode, Want: "given once", Got: "it twice, with different spellings"})
	default:
		return true
	}
}

// wantInteger describes the integers of a type.
func wantInteger(n *Node) string {
	low, high := n.Range()
	return "must be an integer from " + low.RatString() + " to " + high.RatString()
}

// readKey returns the map key of a member name. If the name is invalid, want describes the valid names.
func readKey(n *Node, name string, work *authority.Budget) (key reflect.Value, want string) {
	key = reflect.New(n.GoType).Elem()
	if n.Registered != nil {
		if want = n.requirement(name, work); want != "" {
			return key, want
		}
	}
	switch n.Kind {
	case KindString:
		key.SetString(name)
	case KindInt:
		i, err := strconv.ParseInt(name, 10, n.GoType.Bits())
		if err != nil || strconv.FormatInt(i, 10) != name {
			return key, wantInteger(n)
		}
		key.SetInt(i)
	case KindUint:
		i, err := strconv.ParseUint(name, 10, n.GoType.Bits())
		if err != nil || strconv.FormatUint(i, 10) != name {
			return key, wantInteger(n)
		}
		key.SetUint(i)
	case KindJSON:
		if err := unmarshalOwn(n, key, jsondoc.AppendString(nil, name), nil); err != nil {
			return key, "must be " + wantOf(n, err)
		}
	default:
		if err := UnmarshalText(key, name); err != nil {
			return key, "must be " + wantOf(n, err)
		}
	}
	return key, ""
}
