package schemacompare

import (
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// ofObject compares a keyword that applies to objects.
func (c *comparison) ofObject(at Location, b Branch, super *jsondoc.Value, k jsondoc.Keyword) []Difference {
	switch k.Name {
	case "properties", "patternProperties", "additionalProperties":
		return c.members(at, b, super, k.Name)
	case "required":
		return c.required(at, b, super)
	case "propertyNames":
		return c.names(at, b, super, super.Get(k.Name))
	}
	if k.Limit != nil {
		return c.count(at, b, super, k)
	}
	return c.other(at, b, super, k.Name)
}

// members compares properties, patternProperties and additionalProperties as a group: named members when keyword is the
// first present one of the three, the other members when it is the last.
func (c *comparison) members(at Location, b Branch, super *jsondoc.Value, keyword string) (found []Difference) {
	if leads(super, keyword, "properties", "patternProperties", "additionalProperties") {
		for _, name := range append(slices.Clip(b), super).Names() {
			found = c.merge(found, c.member(at, b, super, name))
		}
	}
	if leads(super, keyword, "additionalProperties", "patternProperties", "properties") {
		found = c.merge(found, c.others(at.to(jsondoc.Step{Index: jsondoc.AnyMember}, b, super), b, super))
	}
	return found
}

// others compares the members without a name in either schema: those whose names match a pattern, and the rest.
func (c *comparison) others(at Location, b Branch, super *jsondoc.Value) (found []Difference) {
	rest := super.Get("additionalProperties")
	known := super.Get("patternProperties")
	for _, p := range c.sub.patternsOf(b) {
		if same := known.Get(p.pattern); same != nil {
			found = c.merge(found, c.schemas(at, p.schemas, same))
		} else if rest != nil {
			found = c.merge(found, c.schemas(at, p.schemas, rest))
		}
		found = c.merge(found, c.matching(at, p.schemas, known, p.pattern))
	}
	have := c.sub.rest(b)
	switch {
	case rest == nil || c.sub.impossible(have):
	case c.super.refusesAll(rest):
		found = c.merge(found, []Difference{{At: at, Keyword: "additionalProperties", Sub: b, Super: super}})
	default:
		found = c.merge(found, c.schemas(at, have, rest))
	}
	return c.merge(found, c.matching(at, have, known, ""))
}

// member compares a member that is named in one of the schemas.
func (c *comparison) member(object Location, b Branch, super *jsondoc.Value, name string) (found []Difference) {
	at := object.toMember(name, b, super)
	have := c.sub.property(b, name)
	if c.sub.impossible(have) {
		return nil
	}
	wanted := c.super.get(super.Get("properties"), name)
	isNamed, isMatched := wanted != nil, false
	if isNamed {
		found = c.schemas(at, have, wanted)
	}
	for _, m := range super.Get("patternProperties").Entries() {
		switch c.super.matches(m.Name, name) {
		case yes:
			isMatched = true
			found = c.merge(found, c.schemas(at, have, m.Value))
		case unknown:
			found = c.merge(found, doubted(Unknown, c.schemas(at, have, m.Value)))
		case no:
		}
	}
	if rest := super.Get("additionalProperties"); rest != nil && !isNamed && !isMatched {
		found = c.merge(found, c.schemas(at, have, rest))
	}
	if !slices.ContainsFunc(b.With("properties"), func(p *jsondoc.Value) bool { return c.sub.get(p, name) != nil }) {
		return doubted(Undescribed, found)
	}
	return found
}

// matching compares members with the patterns that their names might match, except seen, which was compared before.
func (c *comparison) matching(at Location, have []*jsondoc.Value, patterns *jsondoc.Value, seen string) (found []Difference) {
	if patterns == nil || c.sub.impossible(have) {
		return nil
	}
	for _, m := range patterns.Members {
		if m.Name != seen {
			found = c.merge(found, doubted(Unknown, c.schemas(at, have, m.Value)))
		}
	}
	return found
}

func (c *comparison) required(at Location, b Branch, super *jsondoc.Value) (found []Difference) {
	have := b.Required()
	for _, name := range super.Get("required").Texts() {
		if !slices.Contains(have, name) {
			found = append(found, Difference{At: at.toMember(name, b, super), Keyword: "required", Sub: b, Super: super})
		}
	}
	return found
}

// Impossible reports whether no object that fits a branch can have the member.
func (d *Document) Impossible(b Branch, member string) bool {
	return d.impossible(d.property(b, member))
}

// names compares propertyNames: for each name that the branch describes, and for all other names together.
func (c *comparison) names(at Location, b Branch, super, k *jsondoc.Value) (found []Difference) {
	asked := b.With("propertyNames")
	if slices.ContainsFunc(asked, func(s *jsondoc.Value) bool { return c.same(s, k) }) {
		return nil
	}
	for _, name := range b.Names() {
		text := jsondoc.String(name)
		answer := c.super.fits(text, k, 0)
		switch {
		case answer == yes || c.sub.Impossible(b, name):
		case slices.ContainsFunc(asked, func(s *jsondoc.Value) bool { return c.sub.fits(text, s, 0) == no }):
		case answer == no:
			found = append(found, Difference{At: at.toMember(name, b, super), Keyword: "propertyNames", Sub: b, Super: super})
		default:
			found = append(found, Difference{At: at.toMember(name, b, super), Keyword: "propertyNames", Sub: b, Super: super, Doubt: Unknown})
		}
	}
	others := at.to(jsondoc.Step{Index: jsondoc.MemberNames}, b, super)
	text := append(slices.Clip(asked), typed["string"])
	for _, p := range c.sub.patternsOf(b) {
		pattern := typed["string"].With("pattern", jsondoc.String(p.pattern))
		found = c.merge(found, doubted(Unknown, c.schemas(others, append(slices.Clip(text), pattern), k)))
	}
	if !c.sub.impossible(c.sub.rest(b)) {
		found = c.merge(found, doubted(Undescribed, c.schemas(others, text, k)))
	}
	return found
}
