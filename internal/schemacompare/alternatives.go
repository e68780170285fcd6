package schemacompare

import (
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// alternatives compares with anyOf or oneOf: it is enough if one alternative has room for all of the branch, and for
// oneOf, if the others have none for any of it.
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

// typed has a schema for each type. They are made once, so that a comparison that comes back is known.
var typed = func() map[string]*jsondoc.Value {
	made := map[string]*jsondoc.Value{}
	for _, name := range []string{"null", "boolean", "integer", "number", "string", "array", "object"} {
		made[name] = (&jsondoc.Value{Kind: '{'}).With("type", jsondoc.String(name))
	}
	return made
}()

// byType splits a branch by its types, those for which there is room.
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

// eitherPart compares a branch of one type with alternatives. Alone says that only one of them may fit.
func (c *comparison) eitherPart(at Location, b Branch, super *jsondoc.Value, parts []*jsondoc.Value, alone bool) []Difference {
	var meeting, nearest []Difference // from the nearest of those that something of the branch may fit, and of all
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
