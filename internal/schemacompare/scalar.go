package schemacompare

import (
	"math/big"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// bound compares bounds of numbers.
func (c *comparison) bound(at Location, b Branch, super *jsondoc.Value, keyword string) []Difference {
	least := strings.HasSuffix(strings.ToLower(keyword), "minimum")
	whole := c.sub.Types(b)&jsondoc.TypeFraction == 0
	_, have, out := b.Bound(least, whole)
	_, want, wantOut := Branch{super}.Bound(least, whole)
	if want == nil {
		return []Difference{{At: at, Keyword: keyword, Sub: b, Super: super, Doubt: Unknown}}
	}
	sign := 1
	name := "minimum"
	if !least {
		sign, name = -1, "maximum"
	}
	if have != nil && (sign*have.Cmp(want) > 0 || have.Cmp(want) == 0 && (out || !wantOut)) {
		return nil
	}
	return []Difference{{At: at, Keyword: name, Sub: b, Super: super}}
}

// unit compares what numbers are multiples of.
func (c *comparison) unit(at Location, b Branch, super *jsondoc.Value) []Difference {
	d := Difference{At: at, Keyword: "multipleOf", Sub: b, Super: super}
	unit, ok := super.Get("multipleOf").Number()
	if !ok || unit.Sign() <= 0 {
		d.Doubt = Unknown
		return []Difference{d}
	}
	multiple := func(n *big.Rat) bool { return new(big.Rat).Quo(n, unit).IsInt() }
	if c.sub.Types(b)&jsondoc.TypeFraction == 0 && multiple(big.NewRat(1, 1)) {
		return nil
	}
	if slices.ContainsFunc(b.With("multipleOf"), func(v *jsondoc.Value) bool { n, ok := v.Number(); return ok && multiple(n) }) {
		return nil
	}
	return []Difference{d}
}

// count compares bounds of how many characters, items or members there are.
func (c *comparison) count(at Location, b Branch, super *jsondoc.Value, keyword string) []Difference {
	d := Difference{At: at, Keyword: keyword, Sub: b, Super: super}
	want, ok := super.Get(keyword).Number()
	if !ok {
		d.Doubt = Unknown
		return []Difference{d}
	}
	least := strings.HasPrefix(keyword, "min")
	have := c.sub.Count(b, keyword)
	if have != nil && (least && have.Cmp(want) >= 0 || !least && have.Cmp(want) <= 0) || least && want.Sign() <= 0 {
		return nil
	}
	return []Difference{d}
}

// Count returns the strictest bound that a branch sets to a number of characters, items or members, also where it follows
// from other keywords; nil for none.
func (d *Document) Count(b Branch, keyword string) (bound *big.Rat) {
	least := strings.HasPrefix(keyword, "min")
	stricter := func(n *big.Rat) {
		if bound == nil || least && n.Cmp(bound) > 0 || !least && n.Cmp(bound) < 0 {
			bound = n
		}
	}
	for _, v := range b.With(keyword) {
		if n, ok := v.Number(); ok {
			stricter(n)
		}
	}
	switch keyword {
	case "minProperties":
		stricter(big.NewRat(int64(len(b.Required())), 1))
	case "maxProperties":
		if len(d.patternsOf(b)) == 0 && d.impossible(d.rest(b)) {
			stricter(big.NewRat(int64(len(b.Names())), 1))
		}
	case "maxItems":
		if d.impossible(d.item(b, -1)) {
			stricter(big.NewRat(int64(d.heads(b)), 1))
		}
	}
	return bound
}

// unique compares whether two items of an array may be alike.
func (c *comparison) unique(at Location, b Branch, super *jsondoc.Value) []Difference {
	if !super.Get("uniqueItems").IsTrue() || slices.ContainsFunc(b.With("uniqueItems"), (*jsondoc.Value).IsTrue) {
		return nil
	}
	if most := c.sub.Count(b, "maxItems"); most != nil && most.Cmp(big.NewRat(1, 1)) <= 0 {
		return nil
	}
	return []Difference{{At: at, Keyword: "uniqueItems", Sub: b, Super: super}}
}
