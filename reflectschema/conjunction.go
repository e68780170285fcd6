package reflectschema

import (
	"math/big"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// A conjunction is schemas that hold together, without $ref, allOf, anyOf and
// oneOf: what those refer to is there in their place.
type conjunction []*jsondoc.Value

// A side is a document with what is needed to read it.
type side struct {
	root   *jsondoc.Value
	draft7 bool
}

// alternatives returns the ways to fit all of some schemas, taking references,
// parts and alternatives apart. Ways that nothing fits are left out. It reports
// false when a reference is no pointer, or when there are too many ways.
func (s side) alternatives(docs []*jsondoc.Value) ([]conjunction, bool) {
	ways := []conjunction{{}}
	for _, d := range docs {
		more, ok := s.waysOf(d, 0)
		if !ok {
			return nil, false
		}
		if ways = product(ways, more); len(ways) > maxAlternatives {
			return nil, false
		}
	}
	return ways, true
}

func (s side) waysOf(d *jsondoc.Value, depth int) (ways []conjunction, ok bool) {
	switch {
	case depth > authority.MaxInPlace:
		return nil, false
	case isFalse(d):
		return nil, true
	case d.Kind != jsontext.KindBeginObject:
		return []conjunction{{}}, true
	}
	ways = []conjunction{{d}}
	if ref := d.Get("$ref"); ref != nil {
		pointer, local := jsondoc.LocalPointer(ref.Text())
		target := s.root.At(pointer)
		if !local || target == nil {
			return nil, false
		}
		more, ok := s.waysOf(target, depth+1)
		if s.draft7 || !ok {
			return more, ok
		}
		ways = product(ways, more)
	}
	if d.Get("$dynamicRef") != nil {
		return nil, false
	}
	for _, part := range d.Get("allOf").Elements() {
		more, ok := s.waysOf(part, depth+1)
		if !ok {
			return nil, false
		}
		ways = product(ways, more)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if d.Get(keyword) == nil {
			continue
		}
		var either []conjunction
		for _, alternative := range d.Get(keyword).Elements() {
			more, ok := s.waysOf(alternative, depth+1)
			if !ok {
				return nil, false
			}
			either = append(either, more...)
		}
		ways = product(ways, either)
	}
	return ways, len(ways) <= maxAlternatives
}

// product combines each of one with each of the other.
func product(a, b []conjunction) []conjunction {
	if len(a)*len(b) > maxAlternatives {
		return make([]conjunction, maxAlternatives+1) // too many: refused by the caller
	}
	all := make([]conjunction, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			all = append(all, slices.Concat(x, y))
		}
	}
	return all
}

// isFalse reports whether nothing fits a schema: false, or not of everything.
func isFalse(d *jsondoc.Value) bool {
	if d.Kind == jsontext.KindFalse {
		return true
	}
	not := d.Get("not")
	return not != nil && (not.Kind == jsontext.KindTrue || not.Kind == jsontext.KindBeginObject && len(not.Members) == 0)
}

// types returns the JSON types that can fit.
func (c conjunction) types() rules.TypeSet {
	set := rules.AnyType
	for _, d := range c {
		said := d.Get("type")
		if said == nil {
			continue
		}
		var one rules.TypeSet
		for _, name := range append(said.Texts(), said.Text()) {
			one |= rules.TypeSets[name]
		}
		set &= one
	}
	if values := c.values(); values != nil {
		var listed rules.TypeSet
		for _, v := range values {
			listed |= typeOf(v)
		}
		set &= listed
	}
	return set
}

func typeOf(d *jsondoc.Value) rules.TypeSet {
	switch d.Kind {
	case jsontext.KindNull:
		return rules.TypeNull
	case jsontext.KindTrue, jsontext.KindFalse:
		return rules.TypeBool
	case jsontext.KindString:
		return rules.TypeString
	case jsontext.KindBeginArray:
		return rules.TypeArray
	case jsontext.KindBeginObject:
		return rules.TypeObject
	default:
		if _, whole := integer(string(d.Raw)); whole {
			return rules.TypeInteger
		}
		return rules.TypeFraction
	}
}

// values returns the values that can fit where a schema lists them, else nil.
func (c conjunction) values() (list []*jsondoc.Value) {
	for _, d := range c {
		if only := d.Get("const"); only != nil {
			return []*jsondoc.Value{only}
		}
		if enum := d.Get("enum"); enum != nil && (list == nil || len(enum.Items) < len(list)) {
			list = enum.Elements()
		}
	}
	return list
}

// with returns the values of a keyword.
func (c conjunction) with(keyword string) (values []*jsondoc.Value) {
	for _, d := range c {
		if v := d.Get(keyword); v != nil {
			values = append(values, v)
		}
	}
	return values
}

// names returns the names of the properties in the order in which they are described.
func (c conjunction) names() (names []string) {
	for _, properties := range c.with("properties") {
		for _, p := range properties.Members {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	return names
}

// property returns what holds for the member of that name.
func (c conjunction) property(name string) (docs []*jsondoc.Value) {
	for _, properties := range c.with("properties") {
		if d := properties.Get(name); d != nil {
			docs = append(docs, d)
		}
	}
	return docs
}

// required returns the names that must be there.
func (c conjunction) required() (names []string) {
	for _, list := range c.with("required") {
		names = append(names, list.Texts()...)
	}
	return names
}

// rest returns what holds for members that have no property, nil if there can be none.
func (c conjunction) rest() (docs []*jsondoc.Value, open bool) {
	docs = append(c.with("additionalProperties"), c.with("unevaluatedProperties")...)
	if slices.ContainsFunc(docs, isFalse) {
		return nil, false
	}
	return docs, true
}

// items returns what holds for the elements of an array: for the first ones each,
// and for the others, nil if there can be none.
func (c conjunction) items() (heads [][]*jsondoc.Value, rest []*jsondoc.Value, open bool) {
	open = true
	for _, d := range c {
		first, others := d.Get("prefixItems"), d.Get("items")
		if others != nil && others.Kind == jsontext.KindBeginArray { // draft-07
			first, others = others, d.Get("additionalItems")
		}
		for _, head := range first.Elements() {
			heads = append(heads, []*jsondoc.Value{head})
		}
		if most := d.Get("maxItems"); most != nil && most.Count() <= len(first.Elements()) || others != nil && isFalse(others) {
			open = false
		} else if others != nil {
			rest = append(rest, others)
		}
	}
	return heads, rest, open
}

// narrowest returns the least (or the greatest) number that fits, the keyword that says
// so, and whether the number is itself excluded.
func (c conjunction) narrowest(least bool) (keyword string, bound *big.Rat, excluded bool) {
	inside, outside, sign := "minimum", "exclusiveMinimum", 1
	if !least {
		inside, outside, sign = "maximum", "exclusiveMaximum", -1
	}
	narrow := func(name string, exclude bool) {
		for _, v := range c.with(name) {
			r, ok := ratOf(v)
			if ok && (bound == nil || sign*r.Cmp(bound) > 0 || r.Cmp(bound) == 0 && exclude) {
				keyword, bound, excluded = name, r, exclude
			}
		}
	}
	narrow(inside, false)
	narrow(outside, true)
	return keyword, bound, excluded
}

// bound is narrowest without the keyword. Among integers an excluded bound is the next one
// included.
func (c conjunction) bound(least bool) (bound *big.Rat, excluded bool) {
	_, bound, excluded = c.narrowest(least)
	if bound == nil || c.types()&rules.TypeNumber != rules.TypeInteger {
		return bound, excluded
	}
	one := big.NewRat(1, 1)
	next := ceilTo(bound, one)
	if !least {
		next = floorTo(bound, one)
		one = big.NewRat(-1, 1)
	}
	if excluded && next.Cmp(bound) == 0 {
		next = new(big.Rat).Add(next, one)
	}
	return next, false
}
