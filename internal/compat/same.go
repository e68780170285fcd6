package compat

import (
	"slices"
	"strings"
)

// What the keywords of a schema hold that are schemas themselves.
var (
	holdsOne  = []string{"items", "additionalItems", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else", "unevaluatedItems", "unevaluatedProperties"}
	holdsList = []string{"allOf", "anyOf", "oneOf", "prefixItems", "items"}
	holdsMap  = []string{"properties", "patternProperties", "dependentSchemas"}
)

// silent are keywords by which no value is refused.
var silent = []string{
	"$schema", "$comment", "$defs", "definitions", "$id", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "enumNames",
}

// isSilent reports whether a keyword says nothing about which values fit. What authors make up
// begins with x-; that of the protocol counts, since calls are refused by it.
func isSilent(keyword string) bool {
	return slices.Contains(silent, keyword) || strings.HasPrefix(keyword, "x-") && keyword != "x-mcp-header"
}

// same reports whether two documents mean the same for certain, because they say the same.
func (s *side) same(other *side) bool {
	c := containment{sub: s, super: other}
	return c.same(s.root, other.root)
}

// same reports whether a schema of the sub side says the same as one of the super side.
func (c *containment) same(a, b *value) bool {
	e := equality{containment: c, open: map[[2]*value]bool{}}
	return c.sub.draft7 == c.super.draft7 && e.schemas(a, b)
}

// equality compares schemas, references and all.
type equality struct {
	*containment
	open map[[2]*value]bool // being compared, so that recursion ends
}

func (e *equality) schemas(a, b *value) bool {
	if a == nil || b == nil {
		return a == b
	}
	pair := [2]*value{a, b}
	if e.open[pair] {
		return true // if the rest is
	}
	e.open[pair] = true
	defer delete(e.open, pair)
	if a.kind != '{' || b.kind != '{' {
		return a.kind == b.kind && a.kind != '['
	}
	return e.covers(a, b) && e.covers(b, a) && e.members(a, b)
}

// covers reports whether each keyword of a that says something is one of b.
func (e *equality) covers(a, b *value) bool {
	return !slices.ContainsFunc(a.names, func(name string) bool { return !isSilent(name) && b.get(name) == nil })
}

func (e *equality) members(a, b *value) bool {
	for _, name := range a.names {
		if !isSilent(name) && !e.keyword(name, a.members[name], b.members[name]) {
			return false
		}
	}
	return true
}

// keyword compares the values of one keyword.
func (e *equality) keyword(name string, a, b *value) bool {
	switch {
	case a == nil || b == nil:
		return a == b
	case name == "$ref":
		if e.sub.root == a && e.super.root == b {
			return true
		}
		x, y := e.sub.resolve(a), e.super.resolve(b)
		return x != nil && y != nil && e.schemas(x, y)
	case slices.Contains(movers, name):
		return false // where it leads depends on the rest
	case slices.Contains(holdsList, name) && a.kind == '[':
		return b.kind == '[' && slices.EqualFunc(a.items, b.items, e.schemas)
	case slices.Contains(holdsOne, name):
		return e.schemas(a, b)
	case slices.Contains(holdsMap, name):
		return slices.Equal(a.names, b.names) && !slices.ContainsFunc(a.names, func(n string) bool { return !e.schemas(a.members[n], b.members[n]) })
	case name == "required" || name == "type" || name == "enum":
		return sameSet(a, b)
	default:
		return equal(a, b)
	}
}

// sameSet compares lists whose order does not matter, and values that are none.
func sameSet(a, b *value) bool {
	if a.kind != '[' || b.kind != '[' {
		return equal(a, b)
	}
	all := func(x, y *value) bool {
		return !slices.ContainsFunc(x.items, func(v *value) bool { return !has(y.items, v) })
	}
	return all(a, b) && all(b, a)
}
