package schemacompare

import (
	"math/big"
	"slices"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// verdict is a three-valued truth value. The values are ordered, and negation inverts them.
type verdict int8

const (
	no      verdict = -1
	unknown verdict = 0
	yes     verdict = 1
)

func isTrue(b bool) verdict {
	if b {
		return yes
	}
	return no
}

// Fits reports whether a value certainly fits a schema. It does not look into arrays and objects, so it may be false
// for a value that fits.
func (d *Document) Fits(v, s *jsondoc.Value) bool { return d.fits(v, s, 0) == yes }

func (d *Document) fits(v, s *jsondoc.Value, depth int) verdict {
	switch {
	case s.IsTrue():
		return yes
	case s.IsFalse():
		return no
	case !s.IsObject() || depth > maxDepth || !d.spend(1):
		return unknown
	}
	if ref := s.Get("$ref"); ref != nil && d.draft7 {
		return d.fitsTarget(v, ref, depth)
	}
	answer := yes
	for _, m := range s.Members {
		if answer = min(answer, d.fitsKeyword(v, s, m, depth)); answer == no {
			return no
		}
	}
	return answer
}

func (d *Document) fitsTarget(v, ref *jsondoc.Value, depth int) verdict {
	if target := d.resolve(ref); target != nil {
		return d.fits(v, target, depth+1)
	}
	return unknown
}

func (d *Document) fitsKeyword(v, s *jsondoc.Value, m jsondoc.Member, depth int) verdict {
	k := m.Value
	known, isKnown := jsondoc.KeywordNamed(m.Name)
	if known.Limit != nil {
		return fitsLimit(v, known, k)
	}
	switch m.Name {
	case "type":
		return isTrue(k.Types()&v.Type() != 0)
	case "const":
		return isTrue(v.Equal(k))
	case "enum":
		if !d.spend(len(k.Items)) {
			return unknown
		}
		return isTrue(slices.ContainsFunc(k.Items, v.Equal))
	case "$ref":
		return d.fitsTarget(v, k, depth)
	case "allOf", "anyOf", "oneOf":
		return d.fitsParts(v, m.Name, k.Elements(), depth)
	case "not":
		return -d.fits(v, k, depth+1)
	case "multipleOf":
		return fitsUnit(v, k)
	case "pattern":
		if v.Type() == jsondoc.TypeString {
			return d.matches(k.Text(), v.Text())
		}
	case "then", "else":
		if s.Get("if") == nil {
			return yes
		}
	}
	if !d.asserts(m.Name) || isKnown && known.About&v.Type() == 0 {
		return yes
	}
	return unknown
}

// fitsParts checks a value against allOf, anyOf or oneOf.
func (d *Document) fitsParts(v *jsondoc.Value, keyword string, parts []*jsondoc.Value, depth int) verdict {
	count := map[verdict]int{}
	for _, part := range parts {
		count[d.fits(v, part, depth+1)]++
	}
	switch keyword {
	case "allOf":
		return allOf(count[no] > 0, count[unknown] > 0)
	case "anyOf":
		return -allOf(count[yes] > 0, count[unknown] > 0)
	default:
		if count[yes] == 1 && count[unknown] == 0 {
			return yes
		}
		return -allOf(false, count[yes] < 2 && count[unknown] > 0)
	}
}

// allOf combines verdicts: no if one is no, yes if all are yes.
func allOf(isOneNo, isOneUnknown bool) verdict {
	switch {
	case isOneNo:
		return no
	case isOneUnknown:
		return unknown
	default:
		return yes
	}
}

// fitsLimit checks a value against one bound. Items and members are not counted: for them it returns unknown.
func fitsLimit(v *jsondoc.Value, keyword jsondoc.Keyword, k *jsondoc.Value) verdict {
	if keyword.About&v.Type() == 0 {
		return yes
	}
	bound, ok := k.Number()
	var n *big.Rat
	switch keyword.Limit.Of {
	case "":
		n, _ = v.Number()
	case jsondoc.Characters:
		n = new(big.Rat).SetInt64(int64(utf8.RuneCountInString(v.Text())))
	}
	if !ok || n == nil {
		return unknown
	}
	order := n.Cmp(bound)
	if !keyword.Limit.Least {
		order = -order
	}
	return isTrue(order > 0 || order == 0 && !keyword.Limit.Open)
}

// fitsUnit checks a value against multipleOf.
func fitsUnit(v, k *jsondoc.Value) verdict {
	n, ok := v.Number()
	if !ok {
		return yes
	}
	unit, ok := k.Number()
	if !ok {
		return unknown
	}
	return isTrue(unit.Sign() != 0 && new(big.Rat).Quo(n, unit).IsInt())
}

// disjoint reports whether certainly no value fits both a branch of sub and a schema of super.
func (c *comparison) disjoint(b Branch, s *jsondoc.Value, depth int) bool {
	if depth > maxDepth || !c.sub.spend(1+len(b)) {
		return false
	}
	pair := c.pair(b, s)
	answer, known := c.isDisjoint[pair]
	if !known {
		c.isDisjoint[pair] = false // assumed where the result depends on itself
		others, _ := c.super.Branches(s)
		answer = !slices.ContainsFunc(others, func(other Branch) bool { return !c.apart(b, other, depth) })
		c.isDisjoint[pair] = answer
	}
	return answer
}

func (c *comparison) apart(a, b Branch, depth int) bool {
	both := c.sub.Types(a) & c.super.Types(b)
	if both == 0 {
		return true
	}
	if values, ok := c.sub.finite(a); ok {
		return c.super.refusesAllOf(b, values)
	}
	if values, ok := c.super.finite(b); ok {
		return c.sub.refusesAllOf(a, values)
	}
	if both != jsondoc.TypeObject {
		return false
	}
	return slices.ContainsFunc(slices.Concat(a.Required(), b.Required()), func(name string) bool { return c.apartAt(a, b, name, depth) })
}

// refusesAllOf reports whether certainly none of the values fits a branch.
func (d *Document) refusesAllOf(b Branch, values []*jsondoc.Value) bool {
	return !slices.ContainsFunc(values, func(v *jsondoc.Value) bool {
		return !slices.ContainsFunc(b, func(s *jsondoc.Value) bool { return d.fits(v, s, 0) == no })
	})
}

// apartAt reports whether no value of the member fits both branches, so that no object with it does.
func (c *comparison) apartAt(a, b Branch, name string, depth int) bool {
	theirs := c.super.property(b, name)
	if c.super.impossible(theirs) {
		return true
	}
	branches, _ := c.sub.Branches(c.sub.property(a, name)...)
	return !slices.ContainsFunc(branches, func(branch Branch) bool {
		return !slices.ContainsFunc(theirs, func(s *jsondoc.Value) bool { return c.disjoint(branch, s, depth+1) })
	})
}
