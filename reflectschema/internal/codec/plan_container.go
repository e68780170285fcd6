package codec

import (
	"reflect"

	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
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
func (p *Plan) decodeList(r *rules.Reader, dst reflect.Value) bool {
	if !r.Open('[') {
		return false
	}
	n, room, grows := 0, dst.Len(), p.kind == KindSlice
	more := !r.Empty(']')
	if grows && !more {
		dst.Set(reflect.MakeSlice(p.node.GoType, 0, 0))
	}
	for ; more; n++ {
		if n == room {
			if !grows || !growList(&r.Memory, dst, p.elem.node.GoType, n) {
				return false
			}
			room = dst.Cap()
		}
		if grows {
			dst.SetLen(n + 1)
		}
		if !p.elem.Decode(r, dst.Index(n)) {
			return false
		}
		var ok bool
		if more, ok = r.Next(']'); !ok {
			return false
		}
	}
	return n == dst.Len() && p.rules.List.AllowsLength(n) && (!p.rules.List.Unique || allDifferent(dst))
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
func (p *Plan) member(name []byte) *Plan {
	if len(p.named) > 0 {
		if named, ok := p.named[string(name)]; ok {
			return named
		}
	}
	return p.elem
}

func (p *Plan) decodeMap(r *rules.Reader, dst reflect.Value) bool {
	if !r.Open('{') {
		return false
	}
	if !r.Memory.Take(mapSize) {
		return false
	}
	m := reflect.MakeMap(p.node.GoType)
	dst.Set(m)
	n, required := 0, 0
	if !r.Empty('}') {
		for more := true; more; n++ {
			name, ok := r.Name()
			if !ok || !p.rules.Object.AllowsName(name, &r.Matched) || !p.decodeEntry(r, m, name) || m.Len() != n+1 {
				return false
			}
			if p.rules.Object.Required[string(name)] {
				required++
			}
			if more, ok = r.Next('}'); !ok {
				return false
			}
		}
	}
	return required == len(p.rules.Object.Required) && p.rules.Object.AllowsLength(n)
}

// decodeEntry decodes the value of a member into a map. If the map does not grow, the name was a duplicate.
func (p *Plan) decodeEntry(r *rules.Reader, m reflect.Value, name []byte) bool {
	key, want := readKey(p.node.Key, string(name), nil)
	member := p.member(name)
	if want != "" || member == nil || !takeEntry(&r.Memory, p.node.GoType, m.Len()) {
		return false
	}
	value := reflect.New(p.node.Elem.GoType).Elem()
	if !member.Decode(r, value) {
		return false
	}
	return contain(func() error {
		m.SetMapIndex(key, value) // panics when a key made from text cannot be hashed
		return nil
	}) == nil
}
