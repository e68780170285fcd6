package schemacompare

import (
	"math/big"
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// ofNumber compares a keyword that applies to numbers.
func (c *comparison) ofNumber(at Location, b Branch, super *jsondoc.Value, k jsondoc.Keyword) []Difference {
	if k.Limit != nil {
		return c.bound(at, b, super, k)
	}
	return c.unit(at, b, super)
}

// bound compares one bound of numbers: the lower or the upper one, inclusive or exclusive.
func (c *comparison) bound(at Location, b Branch, super *jsondoc.Value, k jsondoc.Keyword) []Difference {
	least := k.Limit.Least
	whole := c.sub.Types(b)&jsondoc.TypeFraction == 0
	_, have, out := b.Bound(least, whole)
	_, want, wantOut := Branch{super}.Bound(least, whole)
	if want == nil {
		return []Difference{{At: at, Keyword: k.Name, Sub: b, Super: super, Doubt: Unknown}}
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

// unit compares multipleOf.
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

// count compares one bound of the number of characters, items or members.
func (c *comparison) count(at Location, b Branch, super *jsondoc.Value, k jsondoc.Keyword) []Difference {
	d := Difference{At: at, Keyword: k.Name, Sub: b, Super: super}
	want, ok := super.Get(k.Name).Number()
	if !ok {
		d.Doubt = Unknown
		return []Difference{d}
	}
	least := k.Limit.Least
	have := c.sub.Count(b, k)
	if have != nil && (least && have.Cmp(want) >= 0 || !least && have.Cmp(want) <= 0) || least && want.Sign() <= 0 {
		return nil
	}
	return []Difference{d}
}

// Count returns the strictest bound that a branch sets on the number of characters, items or members, or nil if there
// is none. Some bounds follow from other keywords: required, a closed object and a closed tuple.
func (d *Document) Count(b Branch, k jsondoc.Keyword) (bound *big.Rat) {
	least := k.Limit.Least
	stricter := func(n *big.Rat) {
		if bound == nil || least && n.Cmp(bound) > 0 || !least && n.Cmp(bound) < 0 {
			bound = n
		}
	}
	for _, v := range b.With(k.Name) {
		if n, ok := v.Number(); ok {
			stricter(n)
		}
	}
	switch of := k.Limit.Of; {
	case bound == nil && k.Limit.Absent > 0 && len(b.With(k.Beside)) > 0:
		stricter(big.NewRat(int64(k.Limit.Absent), 1))
	case of == jsondoc.Members && least:
		stricter(big.NewRat(int64(len(b.Required())), 1))
	case of == jsondoc.Members && len(d.patternsOf(b)) == 0 && d.impossible(d.rest(b)):
		stricter(big.NewRat(int64(len(b.Names())), 1))
	case of == jsondoc.Items && !least && d.impossible(d.item(b, -1)):
		stricter(big.NewRat(int64(d.heads(b)), 1))
	}
	return bound
}
