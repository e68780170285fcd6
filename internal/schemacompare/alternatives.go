package schemacompare

import (
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// alternatives compares a branch with anyOf or oneOf. There is no difference if one alternative accepts the whole
// branch and, for oneOf, the others accept no part of it.
func (c *comparison) alternatives(at Location, b Branch, super *jsondoc.Value, keyword string) (found []Difference) {
	if slices.ContainsFunc(b, func(s *jsondoc.Value) bool { return c.sameGroup(s, super, keyword) }) {
		return nil
	}
	parts := super.Get(keyword).Elements()
	var room jsondoc.Types
	for _, part := range parts {
		branches, _ := c.super.Branches(part)
		for _, other := range branches {
			room |= c.super.Types(other)
		}
	}
	have := c.sub.Types(b)
	if have&room != have {
		found = []Difference{{At: at, Keyword: "type", Sub: b, Super: super, SubTypes: have, SuperTypes: room}}
	}
	for _, typed := range c.byType(b, have, room) {
		found = c.merge(found, c.eitherPart(at, typed, super, parts, keyword == "oneOf"))
	}
	return found
}

// typed maps the name of a type to a schema of the type. The schemas are shared because comparisons identify schemas by
// address.
var typed = func() map[string]*jsondoc.Value {
	made := map[string]*jsondoc.Value{}
	for _, name := range []string{"null", "boolean", "integer", "number", "string", "array", "object"} {
		made[name] = (&jsondoc.Value{Kind: '{'}).With("type", jsondoc.String(name))
	}
	return made
}()

// byType splits a branch into one branch for each of its types that room includes.
func (c *comparison) byType(b Branch, have, room jsondoc.Types) (parts []Branch) {
	for _, name := range []string{"null", "boolean", "number", "string", "array", "object"} {
		if t := jsondoc.TypesNamed(name) & have & room; t != 0 {
			if t == jsondoc.TypeInteger {
				name = "integer"
			}
			parts = append(parts, append(slices.Clip(b), typed[name]))
		}
	}
	if len(parts) == 1 && have&^room == 0 {
		return []Branch{b}
	}
	return parts
}

// eitherPart compares a branch of one type with alternatives. If alone is set, only one alternative may accept a value,
// as in oneOf.
func (c *comparison) eitherPart(at Location, b Branch, super *jsondoc.Value, parts []*jsondoc.Value, alone bool) []Difference {
	var meeting, nearest []Difference // of the alternative with the fewest differences: among those that overlap the branch, and among all
	met, fits := 0, false
	for i, part := range parts {
		isApart := c.disjoint(b, part, 0)
		if isApart && met > 0 {
			continue
		}
		found := c.branch(at, b, part)
		if i == 0 || len(found) < len(nearest) {
			nearest = found
		}
		if isApart {
			continue
		}
		if met++; met == 1 || len(found) < len(meeting) {
			meeting = found
		}
		fits = fits || len(found) == 0
	}
	d := Difference{At: at, Keyword: "oneOf", Sub: b, Super: super, Meeting: met}
	switch {
	case met == 0:
		d.Nearest = nearest
		return []Difference{d}
	case fits && (!alone || met == 1):
		return nil
	case fits:
		d.Doubt = Unknown
		return []Difference{d}
	case met > 1:
		return doubted(Together, meeting)
	default:
		return meeting
	}
}
