package walk

import (
	"maps"
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// lists describes the JSON arrays that may be cut in the values of one type, at any depth: [Type.lists] finds them, and
// shorten cuts them. Nil means that there are none. It is immutable once found.
type lists struct {
	isList bool // the value itself may be cut, but not below least elements
	least  int

	members map[string]*lists // of a struct
	others  *lists            // of each value of a map, or element of an array

	discriminator string // of a union: the name of its discriminator
	arms          map[string]*lists
}

// Shortener returns the function that cuts the arrays in values of t that check permits to cut, nil if there are none. The
// mistakes concern mcp tags alone: compiling t has reported all others.
func Shortener(t reflect.Type, d codec.Direction, table *Table, check func(private.TaggedField) (reason, fix string)) (private.Shorten, []Located) {
	r := NewResolver(d, table)
	root := r.Run(t)
	f := listFinder{Resolver: r, check: check, made: map[*codec.Node]*lists{}}
	r.mistakes = nil
	found := f.find(root)
	r.eachToolTag(r.refuseToolTag)
	if len(r.mistakes) > 0 {
		return nil, r.Sorted()
	}
	if !found.leads(map[*lists]bool{}) {
		return nil, nil
	}
	f.prune()
	return found.shorten, nil
}

// A listFinder finds the arrays in a graph of nodes.
type listFinder struct {
	*Resolver
	check func(private.TaggedField) (reason, fix string)
	made  map[*codec.Node]*lists
	all   []*lists // the values of made, and the lists of tagged fields
}

// find returns the arrays in values of n. If the type is recursive, the result may be incomplete until the first call
// returns.
func (f *listFinder) find(n *codec.Node) *lists {
	n = n.Bare()
	if known, ok := f.made[n]; ok {
		return known
	}
	l := new(lists)
	f.made[n], f.all = l, append(f.all, l)
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
		reason, fix := f.check(f.tagged(m, p))
		least, uncut := tag.Floor(m.Settings)
		if reason == "" && uncut != "" {
			reason, fix = "a truncated list may violate "+uncut, "drop one of them"
		}
		if reason != "" {
			f.Add(shape.At.Member(n.GoType, m.GoPath, m.Name), tag.Mistake{Tag: p.Text, Reason: reason, Fix: fix})
			continue
		}
		below = &lists{isList: true, least: least, others: below.others}
		f.all = append(f.all, below)
	}
	return below
}

// tagged describes a field with an mcp tag.
func (f *listFinder) tagged(m *Member, p tag.Pair) private.TaggedField {
	tagged := private.TaggedField{Tag: p.Value, Type: m.goType.String(), IsInput: f.direction == codec.Input, IsList: m.Node.Bare().Kind == codec.KindSlice, MaxItems: -1}
	for _, s := range m.Settings {
		switch k, _ := jsondoc.KeywordNamed(s.Keyword.Name); {
		case s.Elements || k.Limit == nil || k.Limit.Of != jsondoc.Items:
		case k.Limit.Least:
			tagged.MinItems = s.Count()
		default:
			tagged.MaxItems = s.Count()
		}
	}
	return tagged
}

// prune removes the branches that lead to no array.
func (f *listFinder) prune() {
	isDead := func(_ string, below *lists) bool { return !below.leads(map[*lists]bool{}) }
	for _, l := range f.all {
		maps.DeleteFunc(l.members, isDead)
		maps.DeleteFunc(l.arms, isDead)
		if isDead("", l.others) {
			l.others = nil
		}
	}
}

// leads reports whether l or something below it may be cut. It skips what is in seen.
func (l *lists) leads(seen map[*lists]bool) bool {
	if l == nil || seen[l] {
		return false
	}
	seen[l] = true
	if l.isList || l.others.leads(seen) {
		return true
	}
	for _, branches := range []map[string]*lists{l.members, l.arms} {
		for _, below := range branches {
			if below.leads(seen) {
				return true
			}
		}
	}
	return false
}

// IsMarked reports whether the type has an mcp tag that lists has to read: on a field, or misplaced on a blank field.
func (r *Resolver) IsMarked() bool {
	mayHaveBlanks := false
	for _, n := range r.order {
		shape := r.Shapes[n]
		if shape == nil {
			mayHaveBlanks = mayHaveBlanks || n.GoType.Kind() == reflect.Struct || n.GoType.Kind() == reflect.Array
			continue
		}
		mayHaveBlanks = mayHaveBlanks || !shape.isWhole(n.GoType)
		for i := range shape.Members {
			if slices.ContainsFunc(shape.Members[i].pairs, func(p tag.Pair) bool { return p.Key == ToolKey }) {
				return true
			}
		}
	}
	if !mayHaveBlanks {
		return false
	}
	found := false
	r.eachToolTag(func(Location, tag.Pair) { found = true })
	return found
}
