package schemacompare

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// Compare returns where something fits the first document and not the second. It is sound: if there is no difference,
// everything that fits the first one fits the second. The time that it takes is bounded: what it does not come to is a
// difference with a doubt.
func Compare(first, second *Document) []Difference {
	first.work, second.work = maxWork, maxWork
	c := &comparison{
		sub: first, super: second,
		ids: map[*jsondoc.Value]int{}, open: map[string]bool{}, isDisjoint: map[string]bool{},
	}
	found := c.schemas(Location{}, []*jsondoc.Value{first.root}, second.root)
	if first.work <= 0 || second.work <= 0 {
		found = c.merge(doubted(Unknown, found), []Difference{obstacle(Location{}, "anyOf", second.root)})
	}
	return found
}

// pairCost is how many steps it counts to compare two schemas.
const pairCost = 20

// A comparison finds out whether all that fits a schema of the sub document fits one of the super document.
type comparison struct {
	sub, super *Document
	ids        map[*jsondoc.Value]int // small names for schemas
	open       map[string]bool        // the pairs being compared, so that recursion ends: at each turn, the values are smaller
	isDisjoint map[string]bool        // the answers of disjoint
}

func obstacle(at Location, keyword string, super *jsondoc.Value) Difference {
	return Difference{At: at, Keyword: keyword, Super: super, Doubt: Unknown, Obstacle: true}
}

// schemas compares what fits all of some schemas with another one.
func (c *comparison) schemas(at Location, sub []*jsondoc.Value, super *jsondoc.Value) (found []Difference) {
	branches, problem := c.sub.Branches(sub...)
	for _, b := range branches {
		found = c.merge(found, c.branch(at, b, super))
	}
	if problem != "" && len(found) > 0 { // which may be because the branches allow too much
		found = c.merge([]Difference{obstacle(at, problem, super)}, doubted(Unknown, found))
	}
	return found
}

// branch compares what fits a branch with a schema.
func (c *comparison) branch(at Location, b Branch, super *jsondoc.Value) (found []Difference) {
	if slices.ContainsFunc(b, func(s *jsondoc.Value) bool { return c.same(s, super) }) {
		return found
	}
	if !c.sub.spend(pairCost + len(b)) {
		return append(found, obstacle(at, "anyOf", super))
	}
	pair := c.pair(b, super)
	if c.open[pair] {
		return found
	}
	c.open[pair] = true
	defer delete(c.open, pair)
	switch {
	case super.IsTrue():
		return found
	case c.super.refusesAll(super):
		return append(found, Difference{At: at, Keyword: "false", Sub: b, Super: super})
	}
	if values, ok := c.sub.finite(b); ok {
		return append(found, c.values(at, b, values, super)...)
	}
	return append(found, c.keywords(at, b, super)...)
}

// pair names a comparison.
func (c *comparison) pair(b Branch, super *jsondoc.Value) string {
	var text strings.Builder
	for _, s := range append(slices.Clip(b), super) {
		if _, ok := c.ids[s]; !ok {
			c.ids[s] = len(c.ids)
		}
		text.WriteString(strconv.Itoa(c.ids[s]) + " ")
	}
	return text.String()
}

// keywords compares a branch with a schema, keyword by keyword, in the order of the vocabulary.
func (c *comparison) keywords(at Location, b Branch, super *jsondoc.Value) (found []Difference) {
	if ref := super.Get("$ref"); ref != nil && c.super.draft7 { // what stands beside it is ignored
		return c.target(at, b, super, ref)
	}
	order := func(m jsondoc.Member) int {
		k, known := jsondoc.KeywordNamed(m.Name)
		if !known {
			return 1 << 10
		}
		return k.Order
	}
	sorted := slices.SortedStableFunc(slices.Values(super.Members), func(x, y jsondoc.Member) int { return cmp.Compare(order(x), order(y)) })
	types := c.sub.Types(b)
	for _, m := range sorted {
		if k, known := jsondoc.KeywordNamed(m.Name); !c.super.asserts(m.Name) || known && k.About&types == 0 {
			continue
		}
		found = c.merge(found, c.keyword(at, b, super, m.Name, m.Value))
	}
	return found
}

// keyword returns the differences that one keyword of the super schema makes. Those about values of all types are here.
func (c *comparison) keyword(at Location, b Branch, super *jsondoc.Value, keyword string, k *jsondoc.Value) []Difference {
	switch known, _ := jsondoc.KeywordNamed(keyword); {
	case known.About == jsondoc.TypeNumber:
		return c.ofNumber(at, b, super, known)
	case known.About == jsondoc.TypeArray:
		return c.ofArray(at, b, super, known)
	case known.About == jsondoc.TypeObject:
		return c.ofObject(at, b, super, known)
	case known.Limit != nil:
		return c.count(at, b, super, known)
	}
	switch keyword {
	case "type":
		return c.types(at, b, super, k.Types())
	case "enum", "const":
		return []Difference{{At: at, Keyword: "enum", Sub: b, Super: super}}
	case "$ref":
		return c.target(at, b, super, k)
	case "allOf":
		return c.parts(at, b, k.Elements())
	case "not":
		if c.disjoint(b, k, 0) {
			return nil
		}
	case "anyOf", "oneOf":
		return c.alternatives(at, b, super, keyword)
	case "then", "else":
		if super.Get("if") == nil {
			return nil
		}
	}
	return c.other(at, b, super, keyword)
}

// parts compares with schemas that hold together.
func (c *comparison) parts(at Location, b Branch, parts []*jsondoc.Value) (found []Difference) {
	for _, part := range parts {
		found = c.merge(found, c.branch(at, b, part))
	}
	return found
}

// leads reports whether a keyword is the first one there of a group that is compared as one.
func leads(s *jsondoc.Value, keyword string, group ...string) bool {
	i := slices.IndexFunc(group, func(name string) bool { return s.Get(name) != nil })
	return group[i] == keyword
}

// other compares a keyword that is not worked out: it differs unless the branch says the same.
func (c *comparison) other(at Location, b Branch, super *jsondoc.Value, keyword string) []Difference {
	if slices.ContainsFunc(b, func(s *jsondoc.Value) bool { return c.sameGroup(s, super, keyword) }) {
		return nil
	}
	d := Difference{At: at, Keyword: keyword, Sub: b, Super: super, Doubt: Unknown}
	if keyword == "format" && isAsserted(super.Get("format").Text()) && len(b.With("format"))+len(b.With("pattern")) == 0 {
		d.Doubt = None
	}
	return []Difference{d}
}

// isAsserted reports whether nearly everybody who checks any formats checks this one.
func isAsserted(format string) bool {
	switch format {
	case "date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uuid":
		return true
	default:
		return false
	}
}

// sameGroup reports whether a schema says the same with a keyword, and with those it depends on.
func (c *comparison) sameGroup(s, super *jsondoc.Value, keyword string) bool {
	if strings.HasPrefix(keyword, "unevaluated") {
		return false // it depends on everything else
	}
	const both = jsondoc.Draft7 | jsondoc.Draft2020
	if k, _ := jsondoc.KeywordNamed(keyword); c.sub.draft7 != c.super.draft7 && (k.Dialects != both || k.Holds != 0) {
		return false
	}
	group := jsondoc.Together(keyword)
	e := equality{comparison: c, open: map[[2]*jsondoc.Value]bool{}}
	return !slices.ContainsFunc(group, func(name string) bool { return !e.keyword(name, s.Get(name), super.Get(name)) })
}

// target follows a reference of the super schema.
func (c *comparison) target(at Location, b Branch, super, ref *jsondoc.Value) []Difference {
	if target := c.super.resolve(ref); target != nil {
		return c.branch(at, b, target)
	}
	return []Difference{{At: at, Keyword: "$ref", Sub: b, Super: super, Doubt: Unknown}}
}

// types compares types.
func (c *comparison) types(at Location, b Branch, super *jsondoc.Value, want jsondoc.Types) []Difference {
	have := c.sub.Types(b)
	if have&^want == 0 {
		return nil
	}
	return []Difference{{At: at, Keyword: "type", Sub: b, Super: super, SubTypes: have, SuperTypes: want}}
}

// values holds values one by one against the super schema.
func (c *comparison) values(at Location, b Branch, values []*jsondoc.Value, super *jsondoc.Value) []Difference {
	if want := super.Get("type").Types(); b.Listed() == nil && c.sub.Types(b)&want == 0 {
		return c.types(at, b, super, want)
	}
	d := Difference{At: at, Keyword: "enum", Sub: b, Super: super, Doubt: Unknown}
	for _, v := range values {
		answer := c.super.fits(v, super, 0)
		if answer == no {
			d.Doubt = None
		}
		if answer != yes {
			d.Refused = append(d.Refused, v)
		}
	}
	if d.Refused == nil {
		return nil
	}
	return []Difference{d}
}
