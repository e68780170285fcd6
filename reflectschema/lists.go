package reflectschema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/suggest"
)

// Lists are the lists in the values of a type that their author lets be cut short. [Type.Lists] finds
// them, and [Lists.Shorten] cuts. They never change and are safe for concurrent use.
type Lists struct{ root *lists }

// listMark is what the tag of a field that may be cut says.
const listMark = "truncate"

// lists is what may be cut in the values of one type, and below. Nil is nothing.
type lists struct {
	isList bool // the value itself, to no fewer than least elements
	least  int

	members map[string]*lists // of a struct
	others  *lists            // of each value of a map, or element of an array

	discriminator string // of a union, whose members are told apart by it
	arms          map[string]*lists
}

// Lists returns the lists of an output type whose fields have the tag mcp:"truncate", nil if there
// are none. The error is a [TypeErrors] with every field that has an mcp tag and cannot be cut: it says
// something else, is no slice that becomes a JSON array, has as many elements as it must
// have at least, or is an argument: the type is an input. It also has every blank field with an mcp tag, except
// those that describe the tool whose arguments the type is: of an input that is a struct, and of the structs it embeds.
func (t *Type) Lists() (*Lists, error) {
	if !t.marked {
		return nil, nil
	}
	r := newResolver(t.opts)
	root := r.run(t.goType)
	f := listFinder{resolver: r, made: map[*node]*lists{}}
	r.faults = nil // those of the type itself, which has been compiled
	found := f.find(root)
	r.eachToolTag(r.refuseToolTag)
	if err := r.errors(); err != nil {
		return nil, err
	}
	f.prune()
	if !f.useful[found] {
		return nil, nil
	}
	return &Lists{found}, nil
}

// A listFinder makes lists of nodes.
type listFinder struct {
	*resolver
	made   map[*node]*lists
	all    []*lists // made, and those of tagged fields
	useful map[*lists]bool
}

// find returns what may be cut in values of n. It is still growing when the type is recursive.
func (f *listFinder) find(n *node) *lists {
	n = n.bare()
	if known, ok := f.made[n]; ok {
		return known
	}
	l := new(lists)
	f.made[n], f.all = l, append(f.all, l)
	switch n.kind {
	case kindSlice, kindArray, kindMap:
		l.others = f.find(n.elem)
	case kindUnion:
		l.discriminator, l.arms = n.discriminator, map[string]*lists{}
		for _, a := range n.arms {
			l.arms[a.name] = f.find(a.node)
		}
	case kindStruct:
		l.members = map[string]*lists{}
		for i := range n.fields {
			l.members[n.fields[i].name] = f.field(n, i)
		}
	default: // nothing below
	}
	return l
}

// field is find for a field of a struct.
func (f *listFinder) field(n *node, i int) *lists {
	m := &n.shape.members[i]
	below := f.find(n.fields[i].node)
	for _, p := range m.pairs {
		if p.key != toolKey {
			continue
		}
		least, problem := f.check(m, p)
		if problem != nil {
			problem.tag = p.text
			f.add(n.shape.at.member(n.goType, m.goPath, m.name), *problem)
			continue
		}
		below = &lists{isList: true, least: least, others: below.others}
		f.all = append(f.all, below)
	}
	return below
}

// check returns how many elements must be left of a field with the tag, or why it cannot be cut.
func (f *listFinder) check(m *structMember, p tagPair) (least int, problem *fault) {
	switch target := m.node.bare(); {
	case p.value != listMark && suggest.Nearest(p.value, []string{listMark}) != "":
		return 0, &fault{reason: fmt.Sprintf("%q says nothing about a field", p.value), fix: "write " + listMark}
	case p.value != listMark:
		return 0, &fault{reason: "the mcp tag is on a field of its own", fix: "write it on a field _ struct{} of the argument struct"}
	case f.direction == Input:
		return 0, &fault{reason: "only results are cut short, and this is an argument", fix: "drop the tag; maxItems bounds what a client may send"}
	case target.kind != kindSlice:
		return 0, &fault{reason: fmt.Sprintf("only lists are cut short, and %s is none", m.goType), fix: "drop the tag, or write it on a slice"}
	}
	most := -1
	for _, s := range m.settings {
		switch {
		case s.elements:
		case s.keyword.name == "minItems":
			least = elements(s.value)
		case s.keyword.name == "maxItems":
			most = elements(s.value)
		}
	}
	if least > 0 && least == most {
		return 0, &fault{reason: fmt.Sprintf("a list of exactly %d elements cannot be shorter", least), fix: "drop the tag, or lower minItems"}
	}
	return least, nil
}

// elements reads the value of a keyword that counts elements.
func elements(value json.RawMessage) int {
	n, _ := strconv.Atoi(string(value)) // parsed before
	return n
}

// prune forgets ways that lead to no list.
func (f *listFinder) prune() {
	f.useful = map[*lists]bool{nil: false}
	for changed := true; changed; {
		changed = false
		for _, l := range f.all {
			if !f.useful[l] && f.leads(l) {
				f.useful[l], changed = true, true
			}
		}
	}
	for _, l := range f.all {
		f.clear(l.members)
		f.clear(l.arms)
		if !f.useful[l.others] {
			l.others = nil
		}
	}
}

// leads reports whether l is a list, or is known to lead to one.
func (f *listFinder) leads(l *lists) bool {
	if l.isList || f.useful[l.others] {
		return true
	}
	for _, ways := range []map[string]*lists{l.members, l.arms} {
		for _, below := range ways {
			if f.useful[below] {
				return true
			}
		}
	}
	return false
}

// clear forgets those of the ways that lead to no list.
func (f *listFinder) clear(ways map[string]*lists) {
	for name, below := range ways {
		if !f.useful[below] {
			delete(ways, name)
		}
	}
}

// isMarked reports whether Lists has anything to look at: a field or a misplaced blank field with an mcp tag.
func (r *resolver) isMarked() bool {
	for _, n := range r.order {
		if n.shape == nil {
			continue
		}
		for i := range n.shape.members {
			if slices.ContainsFunc(n.shape.members[i].pairs, func(p tagPair) bool { return p.key == toolKey }) {
				return true
			}
		}
	}
	found := false
	r.eachToolTag(func(place, tagPair) { found = true })
	return found
}
