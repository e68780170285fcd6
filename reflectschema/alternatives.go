package reflectschema

import (
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// Limits of splitting a schema into alternatives. The alternatives of larger schemas are unknown.
const (
	maxBranches  = 64         // alternatives of a value
	maxSplitWork = 20_000_000 // comparisons of names and pointers, about 0.2 s
)

// alternatives describe one value: it fits if all schemas of at least one branch accept it.
type alternatives []jsondoc.Branch

// A splitter splits the schemas of a document into alternatives.
type splitter struct {
	root   *jsondoc.Value
	work   int
	failed bool
}

// spend adds work and reports whether the total is within the limit.
func (b *splitter) spend(work int) bool {
	b.work += work
	b.failed = b.failed || b.work > maxSplitWork
	return !b.failed
}

// branches splits alternatives until they have no references, parts and alternatives in them: references are followed,
// and each schema of anyOf and oneOf makes an alternative. Alternatives that allow no type are omitted. It returns
// false if a reference cannot be followed, or if there are too many alternatives.
func (b *splitter) branches(list alternatives) (all alternatives, ok bool) {
	b.failed = false
	for _, schemas := range list {
		each := alternatives{{}}
		for _, s := range schemas {
			each = b.combine(each, b.split(s))
		}
		all = append(all, each...)
	}
	return slices.DeleteFunc(all, func(x jsondoc.Branch) bool { return x.Types() == 0 }), !b.failed && len(all) <= maxBranches
}

// split returns the alternatives of one schema.
func (b *splitter) split(s *jsondoc.Value) alternatives {
	switch {
	case s.RefusesAll():
		return nil
	case !s.IsObject():
		return alternatives{{}}
	case !b.spend(200) || s.Get("$dynamicRef") != nil:
		b.failed = true
		return nil
	}
	list := alternatives{{s}}
	if ref := s.Get("$ref"); ref != nil {
		list = b.combine(list, b.split(b.target(ref)))
	}
	for _, part := range s.Get("allOf").Elements() {
		list = b.combine(list, b.split(part))
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if s.Get(keyword) != nil {
			var either alternatives
			for _, part := range s.Get(keyword).Elements() {
				either = append(either, b.split(part)...)
			}
			list = b.combine(list, either)
		}
	}
	return list
}

// target returns the schema that a reference leads to.
func (b *splitter) target(ref *jsondoc.Value) *jsondoc.Value {
	pointer, isLocal := jsondoc.LocalPointer(ref.Text())
	target := b.root.At(pointer)
	if !isLocal || !target.IsSchema() {
		b.failed = true
		return nil
	}
	return target
}

// combine returns each alternative of x combined with each of y.
func (b *splitter) combine(x, y alternatives) (list alternatives) {
	if len(x)*len(y) > maxBranches {
		b.failed = true
		return nil
	}
	for _, one := range x {
		for _, other := range y {
			if !b.spend(10 + len(one) + len(other)*maxBranches) {
				return nil
			}
			both := slices.Clip(one)
			for _, s := range other {
				if len(both) > maxBranches || !slices.Contains(both, s) {
					both = append(both, s)
				}
			}
			list = append(list, both)
		}
	}
	return list
}

// types returns the types of all alternatives.
func (list alternatives) types() (set jsondoc.Types) {
	for _, b := range list {
		set |= b.Types()
	}
	return set
}

// of returns the alternatives that allow a type, without those that list their values.
func (list alternatives) of(t jsondoc.Types) alternatives {
	return slices.DeleteFunc(slices.Clone(list), func(b jsondoc.Branch) bool { return b.Types()&t == 0 || b.Listed() != nil })
}

// names returns the names of the described members.
func (list alternatives) names() []string { return slices.Concat(list...).Names() }

// required returns the names of the members that all alternatives require.
func (list alternatives) required() []string {
	count := map[string]int{}
	for _, b := range list {
		for _, name := range b.Required() {
			count[name]++
		}
	}
	return slices.DeleteFunc(list[0].Required(), func(name string) bool { return count[name] < len(list) })
}

// member returns the schemas of a member in the alternatives that allow it. The empty name means any member that is not
// described.
func (list alternatives) member(name string) (all alternatives) {
	for _, b := range list {
		var schemas jsondoc.Branch
		isEvaluated := false
		for _, s := range b {
			p, rest := s.Get("properties").Get(name), s.Get("additionalProperties")
			hasPatterns := name != "" && s.Get("patternProperties") != nil
			switch {
			case p != nil && name != "":
				schemas = append(schemas, p)
			case rest != nil && !hasPatterns:
				schemas = append(schemas, rest)
			}
			isEvaluated = isEvaluated || p != nil || rest != nil || hasPatterns
		}
		if !isEvaluated {
			schemas = b.With("unevaluatedProperties")
		}
		if !slices.ContainsFunc(schemas, (*jsondoc.Value).RefusesAll) {
			all = append(all, schemas)
		}
	}
	return all
}

// isClosed reports whether no alternative allows members that are not described.
func (list alternatives) isClosed() bool { return len(list.member("")) == 0 }

// elements returns the schemas of the elements of arrays.
func (list alternatives) elements() (all alternatives) {
	for _, b := range list {
		var heads, rest jsondoc.Branch
		for _, s := range b {
			first, others := s.ItemSchemas()
			heads = append(heads, first.Elements()...)
			if others != nil {
				rest = append(rest, others)
			}
		}
		for _, head := range heads {
			all = append(all, jsondoc.Branch{head})
		}
		if len(rest) > 0 || len(heads) == 0 {
			all = append(all, rest)
		}
	}
	return all
}
