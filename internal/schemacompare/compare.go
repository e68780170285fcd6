package schemacompare

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// Compare returns the locations at which something may fit the first document and not the second. It is sound: if it
// returns no difference, everything that fits the first document fits the second. Its time is bounded: if the limit is
// reached, all differences are in doubt and one more reports the limit.
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

// pairCost is the number of steps that comparing two schemas counts as.
const pairCost = 20

// A comparison decides whether everything that fits a schema of sub fits a schema of super.
type comparison struct {
	sub, super *Document
	ids        map[*jsondoc.Value]int // short keys for schemas, by address
	open       map[string]bool        // the pairs being compared, assumed to fit: sound, because recursion reaches them with smaller values
	isDisjoint map[string]bool        // cached results of disjoint
}

func obstacle(at Location, keyword string, super *jsondoc.Value) Difference {
	return Difference{At: at, Keyword: keyword, Super: super, Doubt: Unknown, Obstacle: true}
}

// schemas compares the values that fit all schemas of sub with super.
func (c *comparison) schemas(at Location, sub []*jsondoc.Value, super *jsondoc.Value) (found []Difference) {
	branches, problem := c.sub.Branches(sub...)
	for _, b := range branches {
		found = c.merge(found, c.branch(at, b, super))
	}
	if problem != "" && len(found) > 0 { // perhaps only because the branches allow too much
		found = c.merge([]Difference{obstacle(at, problem, super)}, doubted(Unknown, found))
	}
	return found
}

// branch compares the values that fit a branch with a schema.
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

// pair returns a map key for the comparison of a branch with a schema.
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

// keywords compares a branch with the keywords of a schema, in the order of the vocabulary.
func (c *comparison) keywords(at Location, b Branch, super *jsondoc.Value) (found []Difference) {
	if ref := super.Get("$ref"); ref != nil && c.super.draft7 { // draft-07 ignores keywords beside $ref
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

// keyword returns the differences for one keyword of super. It handles the keywords for all types itself.
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

// parts compares a branch with schemas that apply together.
func (c *comparison) parts(at Location, b Branch, parts []*jsondoc.Value) (found []Difference) {
	for _, part := range parts {
		found = c.merge(found, c.branch(at, b, part))
	}
	return found
}

// leads reports whether a keyword is the first present one of a group that is compared as a whole.
func leads(s *jsondoc.Value, keyword string, group ...string) bool {
	i := slices.IndexFunc(group, func(name string) bool { return s.Get(name) != nil })
	return group[i] == keyword
}

// other compares a keyword without specific rules: it differs in doubt unless the branch contains an equivalent one.
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

// isAsserted reports whether nearly every validator that checks formats checks this one.
func isAsserted(format string) bool {
	switch format {
	case "date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uuid":
		return true
	default:
		return false
	}
}

// sameGroup reports whether a keyword, with those that it depends on, has the same meaning in both schemas.
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
	return !slices.ContainsFunc(group, func(name string) bool { return !e.keyword(name, e.counterpart(name, super, s), super.Get(name)) })
}

// target compares a branch with the target of a reference of super.
func (c *comparison) target(at Location, b Branch, super, ref *jsondoc.Value) []Difference {
	if target := c.super.resolve(ref); target != nil {
		return c.branch(at, b, target)
	}
	return []Difference{{At: at, Keyword: "$ref", Sub: b, Super: super, Doubt: Unknown}}
}

func (c *comparison) types(at Location, b Branch, super *jsondoc.Value, want jsondoc.Types) []Difference {
	have := c.sub.Types(b)
	if have&^want == 0 {
		return nil
	}
	return []Difference{{At: at, Keyword: "type", Sub: b, Super: super, SubTypes: have, SuperTypes: want}}
}

// values checks listed values one by one against super.
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
