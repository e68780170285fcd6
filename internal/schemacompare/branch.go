package schemacompare

import (
	"math/big"
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// A Branch is schemas that apply together to a value. Its methods ignore references, parts and alternatives in them.
type Branch []*jsondoc.Value

// With returns the values of a keyword.
func (b Branch) With(keyword string) (values []*jsondoc.Value) {
	for _, s := range b {
		if v := s.Get(keyword); v != nil {
			values = append(values, v)
		}
	}
	return values
}

// Listed returns the values of const, or else of the shortest enum; nil if there is neither.
func (b Branch) Listed() (list []*jsondoc.Value) {
	for _, s := range b {
		if only := s.Get("const"); only != nil {
			return []*jsondoc.Value{only}
		}
		if enum := s.Get("enum"); enum != nil && (list == nil || len(enum.Items) < len(list)) {
			list = enum.Elements()
		}
	}
	return list
}

// Types returns the types that type, enum, const and multipleOf allow.
func (b Branch) Types() jsondoc.Types {
	set := jsondoc.AnyType
	for _, s := range b {
		set &= s.Get("type").Types()
		if unit, ok := s.Get("multipleOf").Number(); ok && unit.IsInt() {
			set &^= jsondoc.TypeFraction
		}
	}
	if values := b.Listed(); values != nil {
		var listed jsondoc.Types
		for _, v := range values {
			listed |= v.Type()
		}
		set &= listed
	}
	return set
}

// Names returns the names of the properties, each once, in the order of the schemas.
func (b Branch) Names() (names []string) {
	for _, properties := range b.With("properties") {
		for _, p := range properties.Members {
			names = append(names, p.Name)
		}
	}
	return distinct(names)
}

// Required returns the names of required members, each once.
func (b Branch) Required() (names []string) {
	for _, list := range b.With("required") {
		names = append(names, list.Texts()...)
	}
	return distinct(names)
}

func distinct(names []string) []string {
	seen := make(map[string]bool, len(names))
	return slices.DeleteFunc(names, func(name string) bool {
		isKnown := seen[name]
		seen[name] = true
		return isKnown
	})
}

// Bound returns the strictest bound of a number at one end, nil for none, its keyword, and whether the bound itself is
// excluded. If whole is set, it is the bound of integers: the first integer that is allowed.
func (b Branch) Bound(least, whole bool) (keyword string, bound *big.Rat, excluded bool) {
	sign := 1
	if !least {
		sign = -1
	}
	for _, k := range jsondoc.LimitsOf("", least) {
		for _, v := range b.With(k.Name) {
			n, ok := v.Number()
			if !ok {
				continue
			}
			out := k.Limit.Open
			if whole {
				n, out = wholeBound(n, out, least), false
			}
			if bound == nil || sign*n.Cmp(bound) > 0 || n.Cmp(bound) == 0 && out {
				keyword, bound, excluded = k.Name, n, out
			}
		}
	}
	return keyword, bound, excluded
}

// wholeBound returns the first integer that a bound allows.
func wholeBound(n *big.Rat, out, least bool) *big.Rat {
	floor := new(big.Int).Div(n.Num(), n.Denom())
	switch {
	case n.IsInt() && !out:
	case n.IsInt() && !least:
		floor.Sub(floor, big.NewInt(1))
	case least:
		floor.Add(floor, big.NewInt(1))
	}
	return new(big.Rat).SetInt(floor)
}

// joined returns the branch whose values fit both branches.
func joined(b, other Branch) Branch {
	both := slices.Clip(b)
	for _, s := range other {
		if len(both) > 32 || !slices.Contains(both, s) { // in longer branches, duplicates cost less than the search
			both = append(both, s)
		}
	}
	return both
}

// Types returns the types that a branch allows.
func (d *Document) Types(b Branch) jsondoc.Types {
	if values, ok := d.finite(b); ok {
		var listed jsondoc.Types
		for _, v := range values {
			listed |= v.Type()
		}
		return listed
	}
	return b.Types()
}

// Values returns the listed values of a branch that may fit it. The result is false if the branch does not list its
// values.
func (d *Document) Values(b Branch) ([]*jsondoc.Value, bool) {
	if b.Listed() == nil {
		return nil, false
	}
	return d.finite(b)
}

var (
	trueValue  = jsondoc.Parse([]byte("true"))
	falseValue = jsondoc.Parse([]byte("false"))
	nullValue  = jsondoc.Parse([]byte("null"))
)

// finite returns all values that may fit a branch, if they are listed or can only be true, false and null.
func (d *Document) finite(b Branch) (values []*jsondoc.Value, ok bool) {
	values = b.Listed()
	if values == nil {
		set := jsondoc.AnyType
		for _, s := range b {
			set &= s.Get("type").Types()
		}
		if set&^(jsondoc.TypeNull|jsondoc.TypeBool) != 0 {
			return nil, false
		}
		if set&jsondoc.TypeBool != 0 {
			values = append(values, trueValue, falseValue)
		}
		if set&jsondoc.TypeNull != 0 {
			values = append(values, nullValue)
		}
	}
	var left []*jsondoc.Value
	for _, v := range values {
		if !slices.ContainsFunc(b, func(s *jsondoc.Value) bool { return d.fits(v, s, 0) == no }) {
			left = append(left, v)
		}
	}
	return left, true
}

// impossible reports whether certainly no value fits the schemas.
func (d *Document) impossible(schemas []*jsondoc.Value) bool {
	list, _ := d.Branches(schemas...)
	return len(list) == 0
}

// property returns the schemas that a branch applies to the member with a name.
func (d *Document) property(b Branch, name string) (schemas []*jsondoc.Value) {
	for _, s := range b {
		if !d.spend(1) {
			return nil
		}
		matched := false
		if p := d.get(s.Get("properties"), name); p != nil {
			schemas, matched = append(schemas, p), true
		}
		for _, m := range s.Get("patternProperties").Entries() {
			switch d.matches(m.Name, name) {
			case yes:
				schemas, matched = append(schemas, m.Value), true
			case unknown:
				matched = true // it may match: without the rest, the branch allows more, which is safe
			case no:
			}
		}
		if rest := s.Get("additionalProperties"); rest != nil && !matched {
			schemas = append(schemas, rest)
		} else if rest := d.unevaluated(s, b); rest != nil && !matched && !d.evaluates(s, b, name) {
			schemas = append(schemas, rest)
		}
	}
	return schemas
}

// rest returns the schemas of a member that no property names and no pattern matches.
func (d *Document) rest(b Branch) (schemas []*jsondoc.Value) {
	schemas = b.With("additionalProperties")
	for _, s := range b {
		if rest := d.unevaluated(s, b); rest != nil {
			schemas = append(schemas, rest)
		}
	}
	return schemas
}

// unevaluated returns the unevaluatedProperties of s, a schema of the branch. It returns nil if there is none, if
// additionalProperties leaves no member to it, or if the members it applies to depend on the value.
func (d *Document) unevaluated(s *jsondoc.Value, b Branch) *jsondoc.Value {
	rest := s.Get("unevaluatedProperties")
	if rest == nil || d.draft7 {
		return nil
	}
	known := d.evaluators(s, b, 0, func(part *jsondoc.Value) bool { return part.Get("additionalProperties") == nil })
	if !known {
		return nil
	}
	return rest
}

// evaluates reports whether s, or a schema that it applies to the same value, may evaluate the member.
func (d *Document) evaluates(s *jsondoc.Value, b Branch, name string) bool {
	return !d.evaluators(s, b, 0, func(part *jsondoc.Value) bool {
		return d.get(part.Get("properties"), name) == nil &&
			!slices.ContainsFunc(part.Get("patternProperties").Entries(), func(m jsondoc.Member) bool { return d.matches(m.Name, name) != no })
	})
}

// evaluators calls visit for s and the schemas that it applies to the same value in a branch, until visit returns
// false. It also returns false if the set of these schemas depends on the value.
func (d *Document) evaluators(s *jsondoc.Value, b Branch, depth int, visit func(*jsondoc.Value) bool) bool {
	if s.IsBool() {
		return true
	}
	for _, keyword := range []string{"anyOf", "if", "dependentSchemas", "$dynamicRef", "unevaluatedProperties"} {
		if s.Get(keyword) != nil && (depth > 0 || keyword != "unevaluatedProperties") {
			return false
		}
	}
	if depth > maxDepth || !d.spend(1) || !visit(s) {
		return false
	}
	parts := s.Get("allOf").Elements()
	if ref := s.Get("$ref"); ref != nil {
		target := d.resolve(ref)
		if target == nil {
			return false
		}
		parts = append(slices.Clip(parts), target)
	}
	for _, part := range s.Get("oneOf").Elements() {
		if slices.Contains(b, part) { // no other alternative accepts values of this branch
			parts = append(slices.Clip(parts), part)
		}
	}
	return !slices.ContainsFunc(parts, func(part *jsondoc.Value) bool { return !d.evaluators(part, b, depth+1, visit) })
}

// A namePattern is a key of patternProperties with the schemas of the members that match it.
type namePattern struct {
	pattern string
	schemas []*jsondoc.Value
}

// patternsOf returns the patterns for names of members, each once.
func (d *Document) patternsOf(b Branch) (list []namePattern) {
	for _, named := range b.With("patternProperties") {
		for _, m := range named.Members {
			i := slices.IndexFunc(list, func(p namePattern) bool { return p.pattern == m.Name })
			if i < 0 {
				i = len(list)
				list = append(list, namePattern{pattern: m.Name})
			}
			list[i].schemas = append(list[i].schemas, m.Value)
		}
	}
	for i := range list {
		for _, s := range b {
			if rest := s.Get("additionalProperties"); rest != nil && s.Get("patternProperties") == nil {
				list[i].schemas = append(list[i].schemas, rest)
			}
		}
	}
	return list
}

// item returns the schemas of the item at index i, or for -1 of the items after all tuples.
func (d *Document) item(b Branch, i int) (schemas []*jsondoc.Value) {
	for _, s := range b {
		switch heads, rest := d.tuple(s); {
		case i >= 0 && i < len(heads):
			schemas = append(schemas, heads[i])
		case rest != nil:
			schemas = append(schemas, rest)
		}
	}
	return schemas
}

// heads returns the length of the longest tuple of a branch.
func (d *Document) heads(b Branch) (most int) {
	for _, s := range b {
		heads, _ := d.tuple(s)
		most = max(most, len(heads))
	}
	return most
}
