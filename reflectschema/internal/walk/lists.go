package walk

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// lists describes the JSON arrays that may be cut in the values of one type, at any depth: a listFinder finds them, and
// shorten cuts them. Nil means that there are none. It is immutable once found.
type lists struct {
	list  *lists // of the same array without its tag, if the value is an array that may be cut
	least int    // the number of elements that must remain of it

	members map[string]*lists // of a struct
	others  *lists            // of each value of a map, or element of an array

	discriminator string // of a union: the name of its discriminator
	arms          map[string]*lists
}

// Shortener returns the function that cuts the arrays in values of t that check permits to cut. T has an mcp tag, see
// [Resolver.IsMarked]. The mistakes concern mcp tags alone: compiling t has reported all others.
func Shortener(t reflect.Type, d codec.Direction, check func(private.TaggedField) (reason, fix string)) (private.Shorten, []Located) {
	r := NewResolver(d)
	root := r.Run(t)
	f := listFinder{Resolver: r, check: check, made: map[*codec.Node]*lists{}}
	r.mistakes = nil
	found := f.find(root)
	r.eachToolTag(r.refuseToolTag)
	if len(r.mistakes) > 0 {
		return nil, r.Sorted()
	}
	return found.shorten, nil
}

// A listFinder finds the arrays in a graph of nodes.
type listFinder struct {
	*Resolver
	check func(private.TaggedField) (reason, fix string)
	made  map[*codec.Node]*lists
}

// find returns the arrays in values of n. If the type is recursive, the result may be incomplete until the first call
// returns.
func (f *listFinder) find(n *codec.Node) *lists {
	n = n.Bare()
	if known, ok := f.made[n]; ok {
		return known
	}
	l := new(lists)
	f.made[n] = l
	switch n.Kind {
	case codec.KindSlice, codec.KindArray, codec.KindMap:
		l.others = f.find(n.Elem)
	case codec.KindUnion:
		l.discriminator, l.arms = n.Discriminator, map[string]*lists{}
		for _, a := range n.Arms {
			l.arms[a.Name] = f.find(a.Node)
		}
	case codec.KindStruct:
		l.members = map[string]*lists{}
		for i := range n.Fields {
			l.members[n.Fields[i].Name] = f.field(n, i)
		}
	default: // nothing below
		f.made[n] = nil
		return nil
	}
	return l
}

// field is find for a field of a struct.
func (f *listFinder) field(n *codec.Node, i int) *lists {
	shape := f.Shapes[n]
	m := &shape.Members[i]
	below := f.find(n.Fields[i].Node)
	for _, p := range m.pairs {
		if p.Key != ToolKey {
			continue
		}
		tagged := private.TaggedField{Tag: p.Value, Type: m.goType.String(), IsInput: f.direction == codec.Input, IsList: m.Node.Bare().Kind == codec.KindSlice, MaxItems: -1}
		hasContains := false
		for _, s := range m.Settings {
			switch s.Keyword.Name {
			case "minItems":
				tagged.MinItems = s.Count()
			case "maxItems":
				tagged.MaxItems = s.Count()
			case "contains":
				hasContains = true // the elements that it needs are known only after checking them
			}
		}
		reason, fix := f.check(tagged)
		if reason == "" && hasContains {
			reason, fix = "a truncated list may violate contains", "drop one of them"
		}
		if reason != "" {
			f.Add(shape.At.Member(n.GoType, m.GoPath, m.Name), tag.Mistake{Tag: p.Text, Reason: reason, Fix: fix})
			continue
		}
		below = &lists{list: cmp.Or(below, new(lists)), least: tagged.MinItems}
	}
	return below
}

// IsMarked reports whether the type has an mcp tag that lists has to read: on a field, or misplaced on a blank field.
func (r *Resolver) IsMarked() (found bool) {
	mayHaveBlanks := false
	for _, n := range r.order {
		shape := r.Shapes[n]
		if shape == nil {
			mayHaveBlanks = mayHaveBlanks || n.GoType.Kind() == reflect.Struct || n.GoType.Kind() == reflect.Array
			continue
		}
		mayHaveBlanks = mayHaveBlanks || !shape.isWhole(n.GoType)
		for i := range shape.Members {
			found = found || slices.ContainsFunc(shape.Members[i].pairs, func(p tag.Pair) bool { return p.Key == ToolKey })
		}
	}
	if mayHaveBlanks {
		r.eachToolTag(func(Location, tag.Pair) { found = true })
	}
	return found
}
