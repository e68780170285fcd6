package jsondoc

import (
	"slices"
)

// Limits of splitting a schema into alternatives. The alternatives of larger schemas are unknown.
const (
	maxBranches  = 64         // alternatives of a value
	maxSplitWork = 20_000_000 // comparisons of names and pointers, about 0.2 s
)

// Alternatives describe one value: it fits if all schemas of at least one branch accept it.
type Alternatives []Branch

// A Splitter splits the schemas of a document into alternatives.
type Splitter struct {
	Root   *Value
	work   int
	failed bool
}

// Spend adds work and reports whether the total is within the limit.
func (b *Splitter) Spend(work int) bool {
	b.work += work
	b.failed = b.failed || b.work > maxSplitWork
	return !b.failed
}

// Branches splits alternatives until they have no references, parts and alternatives in them: references are followed,
// and each schema of anyOf and oneOf makes an alternative. Alternatives that allow no type are omitted. It returns
// false if a reference cannot be followed, or if there are too many alternatives.
func (b *Splitter) Branches(list Alternatives) (all Alternatives, ok bool) {
	b.failed = false
	for _, schemas := range list {
		each := Alternatives{{}}
		for _, s := range schemas {
			each = b.combine(each, b.split(s))
		}
		all = append(all, each...)
	}
	return slices.DeleteFunc(all, func(x Branch) bool { return x.Types() == 0 }), !b.failed && len(all) <= maxBranches
}

// split returns the alternatives of one schema.
func (b *Splitter) split(s *Value) Alternatives {
	switch {
	case s.RefusesAll():
		return nil
	case !s.IsObject():
		return Alternatives{{}}
	case !b.Spend(200) || s.Get("$dynamicRef") != nil:
		b.failed = true
		return nil
	}
	list := Alternatives{{s}}
	if ref := s.Get("$ref"); ref != nil {
		list = b.combine(list, b.split(b.target(ref)))
	}
	for _, part := range s.Get("allOf").Elements() {
		list = b.combine(list, b.split(part))
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if s.Get(keyword) != nil {
			var either Alternatives
			for _, part := range s.Get(keyword).Elements() {
				either = append(either, b.split(part)...)
			}
			list = b.combine(list, either)
		}
	}
	return list
}

// target returns the schema that a reference leads to.
func (b *Splitter) target(ref *Value) *Value {
	pointer, isLocal := LocalPointer(ref.Text())
	target := b.Root.At(pointer)
	if !isLocal || !target.IsSchema() {
		b.failed = true
		return nil
	}
	return target
}

// combine returns each alternative of x combined with each of y.
func (b *Splitter) combine(x, y Alternatives) (list Alternatives) {
	if len(x)*len(y) > maxBranches {
		b.failed = true
		return nil
	}
	for _, one := range x {
		for _, other := range y {
			if !b.Spend(10 + len(one) + len(other)*maxBranches) {
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

// Types returns the types of all alternatives.
func (list Alternatives) Types() (set Types) {
	for _, b := range list {
		set |= b.Types()
	}
	return set
}

// Of returns the alternatives that allow a type, without those that list their values.
func (list Alternatives) Of(t Types) Alternatives {
	return slices.DeleteFunc(slices.Clone(list), func(b Branch) bool { return b.Types()&t == 0 || b.Listed() != nil })
}

// Names returns the names of the described members.
func (list Alternatives) Names() []string { return slices.Concat(list...).Names() }

// Required returns the names of the members that all alternatives require.
func (list Alternatives) Required() []string {
	count := map[string]int{}
	for _, b := range list {
		for _, name := range b.Required() {
			count[name]++
		}
	}
	return slices.DeleteFunc(list[0].Required(), func(name string) bool { return count[name] < len(list) })
}

// Member returns the schemas of a member in the alternatives that allow it. The empty name means any member that is not
// described.
func (list Alternatives) Member(name string) (all Alternatives) {
	for _, b := range list {
		var schemas Branch
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
		if !slices.ContainsFunc(schemas, (*Value).RefusesAll) {
			all = append(all, schemas)
		}
	}
	return all
}

// IsClosed reports whether no alternative allows members that are not described.
func (list Alternatives) IsClosed() bool { return len(list.Member("")) == 0 }

// Elements returns the schemas of the elements of arrays.
func (list Alternatives) Elements() (all Alternatives) {
	for _, b := range list {
		var heads, rest Branch
		for _, s := range b {
			first, others := s.ItemSchemas()
			heads = append(heads, first.Elements()...)
			if others != nil {
				rest = append(rest, others)
			}
		}
		for _, head := range heads {
			all = append(all, Branch{head})
		}
		if len(rest) > 0 || len(heads) == 0 {
			all = append(all, rest)
		}
	}
	return all
}
