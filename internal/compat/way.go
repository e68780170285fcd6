package compat

import (
	"math/big"
	"regexp"
	"slices"
)

// A way is schemas that hold together: one way to fit a schema with its references, parts and
// alternatives taken apart. Each is an object.
type way []*value

// Limits of taking apart. What is beyond is left out, which makes a way allow more than it does.
const (
	maxWays  = 64
	maxDepth = 40
)

// ways takes schemas that hold together apart. No ways are none to fit them.
func (s *side) ways(schemas []*value) []way {
	list := []way{{}}
	for _, d := range schemas {
		list = product(list, s.waysOf(d, 0))
	}
	return slices.DeleteFunc(list, func(w way) bool { return s.types(w) == 0 })
}

func (s *side) waysOf(d *value, depth int) []way {
	switch {
	case d.kind == 'f':
		return nil
	case d.kind != '{' || depth > maxDepth:
		return []way{{}}
	}
	list := []way{{d}}
	if ref := d.get("$ref"); ref != nil {
		target := s.resolve(ref)
		if s.draft7 { // what stands beside it is ignored
			list = []way{{}}
		}
		if target != nil {
			list = product(list, s.waysOf(target, depth+1))
		}
		if s.draft7 {
			return list
		}
	}
	for _, part := range d.get("allOf").list() {
		list = product(list, s.waysOf(part, depth+1))
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if d.get(keyword) == nil {
			continue
		}
		var either []way
		for _, part := range d.get(keyword).list() {
			either = append(either, s.waysOf(part, depth+1)...)
		}
		list = product(list, either)
	}
	return list
}

// product returns the ways to fit one of a and one of b. If they are too many it leaves b out.
func product(a, b []way) []way {
	if len(a)*len(b) > maxWays {
		return a
	}
	var list []way
	for _, x := range a {
		for _, y := range b {
			both := slices.Clip(x)
			for _, d := range y {
				if !slices.Contains(both, d) {
					both = append(both, d)
				}
			}
			list = append(list, both)
		}
	}
	return list
}

// with returns the values of a keyword.
func (w way) with(keyword string) (values []*value) {
	for _, d := range w {
		if v := d.get(keyword); v != nil {
			values = append(values, v)
		}
	}
	return values
}

// types is a set of kinds of JSON.
type types uint8

const (
	isNull types = 1 << iota
	isBool
	isInteger
	isFraction // a number that is no integer
	isString
	isArray
	isObject

	isNumber = isInteger | isFraction
	isAny    = isNull | isBool | isNumber | isString | isArray | isObject
)

var typeNames = map[string]types{
	"null": isNull, "boolean": isBool, "integer": isInteger, "number": isNumber, "string": isString, "array": isArray, "object": isObject,
}

// typesOf returns the types that the value of the keyword type names.
func typesOf(v *value) (set types) {
	if v == nil {
		return isAny
	}
	if v.kind != '[' {
		return typeNames[v.string()]
	}
	for _, item := range v.items {
		set |= typeNames[item.string()]
	}
	return set
}

// typeOf returns the type of a value.
func typeOf(v *value) types {
	switch v.kind {
	case 'n':
		return isNull
	case 't', 'f':
		return isBool
	case '"':
		return isString
	case '[':
		return isArray
	case '{':
		return isObject
	}
	if n, ok := v.number(); ok && n.IsInt() {
		return isInteger
	}
	return isFraction
}

// types returns the types that a way leaves.
func (s *side) types(w way) types {
	set := isAny
	for _, d := range w {
		set &= typesOf(d.get("type"))
		if m, ok := d.get("multipleOf").number(); ok && m.IsInt() {
			set &^= isFraction
		}
	}
	if values, ok := s.finite(w); ok {
		var listed types
		for _, v := range values {
			listed |= typeOf(v)
		}
		set &= listed
	}
	return set
}

// finite returns the values that a way lists, those of them that may fit it.
func (s *side) finite(w way) (values []*value, listed bool) {
	for _, d := range w {
		given := d.get("enum").list()
		if one := d.get("const"); one != nil {
			given = []*value{one}
		}
		if given != nil && !listed {
			values, listed = given, true
		}
	}
	if !listed {
		set := isAny
		for _, t := range w.with("type") {
			set &= typesOf(t)
		}
		if set&^(isNull|isBool) != 0 {
			return nil, false
		}
		if set&isBool != 0 {
			values = append(values, &value{kind: 't', text: "true"}, &value{kind: 'f', text: "false"})
		}
		if set&isNull != 0 {
			values = append(values, &value{kind: 'n', text: "null"})
		}
	}
	var left []*value
	for _, v := range values {
		if !slices.ContainsFunc(w, func(d *value) bool { return s.fits(v, d, 0) == no }) {
			left = append(left, v)
		}
	}
	return left, true
}

// impossible reports whether nothing fits the schemas for certain.
func (s *side) impossible(schemas []*value) bool { return len(s.ways(schemas)) == 0 }

// required returns the members that must be there.
func (w way) required() (names []string) {
	for _, list := range w.with("required") {
		for _, name := range list.items {
			names = append(names, name.string())
		}
	}
	return names
}

// names returns the properties that are named.
func (w way) names() (names []string) {
	for _, p := range w.with("properties") {
		names = append(names, p.names...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// property returns the schemas of the member of a name.
func (w way) property(name string) (schemas []*value) {
	for _, d := range w {
		matched := false
		if p := d.get("properties").get(name); p != nil {
			schemas, matched = append(schemas, p), true
		}
		if patterns := d.get("patternProperties"); patterns != nil {
			for _, pattern := range patterns.names {
				switch matches(pattern, name) {
				case yes:
					schemas, matched = append(schemas, patterns.members[pattern]), true
				case unknown:
					matched = true // it may be; to ask less is to be on the safe side
				case no:
				}
			}
		}
		if rest := d.get("additionalProperties"); rest != nil && !matched {
			schemas = append(schemas, rest)
		}
	}
	return schemas
}

// rest returns the schemas of a member that nothing names and no pattern matches.
func (w way) rest() []*value { return w.with("additionalProperties") }

// patterns returns the patterns of names, and the schemas of a member that matches.
func (w way) patterns() map[string][]*value {
	all := map[string][]*value{}
	for _, d := range w {
		if p := d.get("patternProperties"); p != nil {
			for _, pattern := range p.names {
				all[pattern] = append(all[pattern], p.members[pattern])
			}
		}
	}
	for pattern := range all {
		for _, d := range w {
			if rest := d.get("additionalProperties"); rest != nil && d.get("patternProperties") == nil {
				all[pattern] = append(all[pattern], rest)
			}
		}
	}
	return all
}

// tuple returns the schemas of the first items of an array, and the one of the rest, nil for none.
func (s *side) tuple(d *value) (heads []*value, rest *value) {
	items := d.get("items")
	if !s.draft7 {
		return d.get("prefixItems").list(), items
	}
	if items != nil && items.kind == '[' {
		return items.items, d.get("additionalItems")
	}
	return nil, items
}

// item returns the schemas of the item at an index; of those that come after all heads for -1.
func (s *side) item(w way, i int) (schemas []*value) {
	for _, d := range w {
		switch heads, rest := s.tuple(d); {
		case i >= 0 && i < len(heads):
			schemas = append(schemas, heads[i])
		case rest != nil:
			schemas = append(schemas, rest)
		}
	}
	return schemas
}

// heads returns how many items have schemas of their own.
func (s *side) heads(w way) (most int) {
	for _, d := range w {
		heads, _ := s.tuple(d)
		most = max(most, len(heads))
	}
	return most
}

// bound returns the strictest of the bounds of a number at one end, nil for none.
func (w way) bound(least bool, whole bool) (bound *big.Rat, excluded bool) {
	inside, outside, sign := "minimum", "exclusiveMinimum", 1
	if !least {
		inside, outside, sign = "maximum", "exclusiveMaximum", -1
	}
	for _, d := range w {
		for _, keyword := range []string{inside, outside} {
			n, ok := d.get(keyword).number()
			if !ok {
				continue
			}
			out := keyword == outside
			if whole {
				n, out = wholeBound(n, out, least), false
			}
			if bound == nil || sign*n.Cmp(bound) > 0 || n.Cmp(bound) == 0 && out {
				bound, excluded = n, out
			}
		}
	}
	return bound, excluded
}

// wholeBound returns the integer at which a bound takes effect.
func wholeBound(n *big.Rat, out, least bool) *big.Rat {
	floor := new(big.Int).Div(n.Num(), n.Denom())
	switch {
	case n.IsInt() && !out:
	case n.IsInt() && least:
		floor.Add(floor, big.NewInt(1))
	case n.IsInt():
		floor.Sub(floor, big.NewInt(1))
	case least:
		floor.Add(floor, big.NewInt(1))
	}
	return new(big.Rat).SetInt(floor)
}

// verdict is an answer that may not be known.
type verdict int8

const (
	no      verdict = -1
	unknown verdict = 0
	yes     verdict = 1
)

// matches reports whether a pattern matches.
func matches(pattern, text string) verdict {
	re, err := regexp.Compile(pattern)
	switch {
	case err != nil:
		return unknown
	case re.MatchString(text):
		return yes
	default:
		return no
	}
}
