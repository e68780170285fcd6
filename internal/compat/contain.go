package compat

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxSteps bounds the pairs of schemas that one comparison looks at.
const maxSteps = 20_000

// A containment finds out whether all that fits a schema of one side fits a schema of the other. It is
// sound: no gaps means that it does.
type containment struct {
	sub, super *side
	steps      int
	ids        map[*value]int  // small names for schemas
	open       map[string]bool // the pairs being compared, so that recursion ends: at each turn, the values are smaller
}

func newContainment(sub, super *side) *containment {
	return &containment{sub: sub, super: super, ids: map[*value]int{}, open: map[string]bool{}}
}

// gaps returns where something fits all of the sub schemas and not the super one.
func (c *containment) gaps(at string, sub []*value, super *value) (gaps []gap) {
	for _, w := range c.sub.ways(sub) {
		gaps = merge(gaps, c.wayGaps(at, w, super))
	}
	return gaps
}

// wayGaps is gaps for one way of fitting the sub schemas.
func (c *containment) wayGaps(at string, w way, super *value) []gap {
	if slices.ContainsFunc(w, func(d *value) bool { return c.same(d, super) }) {
		return nil
	}
	if c.steps++; c.steps > maxSteps {
		return []gap{{at, "", "too large to compare", "too large to compare", false}}
	}
	pair := c.pair(w, super)
	if c.open[pair] {
		return nil
	}
	c.open[pair] = true
	defer delete(c.open, pair)
	switch super.kind {
	case 't':
		return nil
	case 'f':
		return []gap{{at, "false", c.sub.describe(w), "refused", true}}
	}
	if values, ok := c.sub.finite(w); ok {
		return c.valueGaps(at, values, super)
	}
	if ref := super.get("$ref"); ref != nil && c.super.draft7 {
		return c.refGaps(at, w, ref)
	}
	var gaps []gap
	for _, keyword := range super.names {
		if of, known := keywordTypes[keyword]; known && of&c.sub.types(w) == 0 {
			continue
		}
		gaps = merge(gaps, c.keywordGaps(at, w, super, keyword))
	}
	return gaps
}

// pair names a comparison.
func (c *containment) pair(sub []*value, super *value) string {
	var b strings.Builder
	for _, d := range append(slices.Clip(sub), super) {
		if _, ok := c.ids[d]; !ok {
			c.ids[d] = len(c.ids)
		}
		b.WriteString(strconv.Itoa(c.ids[d]) + " ")
	}
	return b.String()
}

// keywordGaps returns the gaps that one keyword of the super schema opens.
func (c *containment) keywordGaps(at string, w way, super *value, keyword string) []gap {
	k := super.members[keyword]
	switch keyword {
	case "type":
		return c.typeGaps(at, w, k)
	case "enum", "const":
		return []gap{{at, "enum", c.sub.describe(w), c.super.describe(way{super}), true}}
	case "$ref":
		return c.refGaps(at, w, k)
	case "allOf":
		var gaps []gap
		for _, part := range k.items {
			gaps = merge(gaps, c.wayGaps(at, w, part))
		}
		return gaps
	case "not":
		if c.disjoint(w, k, 0) {
			return nil
		}
	case "anyOf", "oneOf":
		return c.eitherGaps(at, w, super, keyword)
	case "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf":
		return c.numberGaps(at, w, super, keyword)
	case "minLength", "minItems", "minProperties", "maxLength", "maxItems", "maxProperties":
		return c.countGaps(at, w, k, keyword)
	case "uniqueItems":
		return c.uniqueGaps(at, w, k)
	case "items", "prefixItems", "additionalItems":
		if super.leads(keyword, "additionalItems", "items", "prefixItems") {
			return c.itemGaps(at, w, super)
		}
		return nil
	case "properties", "patternProperties", "additionalProperties":
		if super.leads(keyword, "additionalProperties", "patternProperties", "properties") {
			return c.memberGaps(at, w, super)
		}
		return nil
	case "required":
		return c.requiredGaps(at, w, k)
	case "propertyNames":
		return c.nameGaps(at, w, k)
	}
	if isSilent(keyword) || slices.ContainsFunc(w, func(d *value) bool { return c.sameGroup(d, super, keyword) }) {
		return nil
	}
	return []gap{{at, keyword, words(keyword, w.with(keyword)), words(keyword, []*value{k}), keyword == "format" && asserted[k.string()] && len(w.with("format")) == 0}}
}

// leads reports whether a keyword is the first one there of a group that is compared as one.
func (v *value) leads(keyword string, group ...string) bool {
	i := slices.IndexFunc(group, func(name string) bool { return v.get(name) != nil })
	return group[i] == keyword
}

// groups are keywords that mean something together only.
var groups = map[string][]string{
	"if": {"if", "then", "else"}, "then": {"if", "then", "else"}, "else": {"if", "then", "else"},
	"contains": {"contains", "minContains", "maxContains"}, "minContains": {"contains", "minContains", "maxContains"}, "maxContains": {"contains", "minContains", "maxContains"},
}

// sameGroup reports whether a schema says the same with a keyword, and with those it depends on.
func (c *containment) sameGroup(d, super *value, keyword string) bool {
	if strings.HasPrefix(keyword, "unevaluated") || c.sub.draft7 != c.super.draft7 || slices.Contains(movers, keyword) {
		return false // it depends on everything else
	}
	group := groups[keyword]
	if group == nil {
		group = []string{keyword}
	}
	e := equality{containment: c, open: map[[2]*value]bool{}}
	return !slices.ContainsFunc(group, func(name string) bool { return !e.keyword(name, d.get(name), super.get(name)) })
}

// refGaps follows a reference of the super schema.
func (c *containment) refGaps(at string, w way, ref *value) []gap {
	if target := c.super.resolve(ref); target != nil {
		return c.wayGaps(at, w, target)
	}
	return []gap{{at, "$ref", c.sub.describe(w), "what " + ref.string() + " leads to", false}}
}

// typeGaps compares types.
func (c *containment) typeGaps(at string, w way, k *value) []gap {
	have, want := c.sub.types(w), typesOf(k)
	if have&^want == 0 {
		return nil
	}
	return []gap{{at, "type", have.String(), want.String(), true}}
}

// valueGaps holds values one by one against the super schema.
func (c *containment) valueGaps(at string, values []*value, super *value) []gap {
	var left []*value
	refused := no
	open := false
	for _, v := range values {
		switch c.super.fits(v, super, 0) {
		case yes:
			left = append(left, v)
		case no:
			open, refused = true, yes
		case unknown:
			open = true
		}
	}
	if !open {
		return nil
	}
	wanted := c.super.describe(way{super})
	if c.super.describe(way{super}) == anything {
		wanted = listed(left)
	}
	return []gap{{at, "enum", listed(values), wanted, refused == yes}}
}

// eitherGaps compares with alternatives: it is enough if one of them has room for the way, and for oneOf,
// if the others have none for any of it.
func (c *containment) eitherGaps(at string, w way, super *value, keyword string) (gaps []gap) {
	if slices.ContainsFunc(w, func(d *value) bool { return c.sameGroup(d, super, keyword) }) {
		return nil
	}
	parts := super.members[keyword].items
	for _, part := range c.byType(w) {
		gaps = merge(gaps, c.partGaps(at, part, parts, keyword == "oneOf"))
	}
	return gaps
}

// typed has a schema for each type. They are made once, so that a comparison that comes back is known.
var typed = func() map[string]*value {
	made := map[string]*value{}
	for name := range typeNames {
		made[name] = &value{kind: '{', names: []string{"type"}, members: map[string]*value{"type": {kind: '"', text: name}}}
	}
	return made
}()

// byType splits a way by the types that it leaves.
func (c *containment) byType(w way) (parts []way) {
	set := c.sub.types(w)
	for _, name := range []string{"null", "boolean", "number", "string", "array", "object"} {
		if t := typeNames[name]; set&t != 0 {
			if set&t == isInteger {
				name = "integer"
			}
			parts = append(parts, append(slices.Clip(w), typed[name]))
		}
	}
	if len(parts) == 1 {
		return []way{w}
	}
	return parts
}

func (c *containment) partGaps(at string, w way, parts []*value, alone bool) []gap {
	var best []gap
	var meeting []*value // those that something of the way may fit
	found := -1
	for i, part := range parts {
		if c.disjoint(w, part, 0) {
			continue
		}
		meeting = append(meeting, part)
		gaps := c.wayGaps(at, w, part)
		if len(gaps) == 0 && found < 0 {
			found = i
		}
		if best == nil || len(gaps) < len(best) {
			best = gaps
		}
	}
	switch {
	case len(meeting) == 0:
		return []gap{{at, "oneOf", c.sub.describe(w), "none of the alternatives", true}}
	case found >= 0 && (!alone || len(meeting) == 1):
		return nil
	case found >= 0:
		return []gap{{at, "oneOf", c.sub.describe(w), fmt.Sprintf("perhaps more than one of %d alternatives", len(meeting)), false}}
	case len(meeting) > 1:
		return unsure(best)
	default:
		return best
	}
}
