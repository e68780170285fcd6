package compat

import (
	"math/big"
	"slices"
	"strings"
)

// numberGaps compares bounds of numbers, and what they are multiples of.
func (c *containment) numberGaps(at string, w way, super *value, keyword string) []gap {
	if keyword == "multipleOf" {
		return c.unitGaps(at, w, super.members[keyword])
	}
	least := strings.HasSuffix(strings.ToLower(keyword), "minimum")
	whole := c.sub.types(w)&isFraction == 0
	have, out := w.bound(least, whole)
	want, wantOut := way{super}.bound(least, whole)
	if want == nil {
		return []gap{{at, keyword, "any number", "a bound that cannot be read", false}}
	}
	sign := map[bool]int{true: 1, false: -1}[least]
	if have != nil && (sign*have.Cmp(want) > 0 || have.Cmp(want) == 0 && (out || !wantOut)) {
		return nil
	}
	name := map[bool]string{true: "minimum", false: "maximum"}[least]
	return []gap{{at, name, boundWords(least, have, out), boundWords(least, want, wantOut), true}}
}

func (c *containment) unitGaps(at string, w way, k *value) []gap {
	unit, ok := k.number()
	if !ok || unit.Sign() <= 0 {
		return []gap{{at, "multipleOf", "any number", "a unit that cannot be read", false}}
	}
	multiple := func(n *big.Rat) bool { return new(big.Rat).Quo(n, unit).IsInt() }
	if c.sub.types(w)&isFraction == 0 && multiple(big.NewRat(1, 1)) {
		return nil
	}
	have := w.with("multipleOf")
	if slices.ContainsFunc(have, func(v *value) bool { n, ok := v.number(); return ok && multiple(n) }) {
		return nil
	}
	return []gap{{at, "multipleOf", words("multipleOf", have), words("multipleOf", []*value{k}), true}}
}

// countGaps compares bounds of how many characters, items or members there are.
func (c *containment) countGaps(at string, w way, k *value, keyword string) []gap {
	want, ok := k.number()
	if !ok {
		return []gap{{at, keyword, "any number", "a bound that cannot be read", false}}
	}
	least := strings.HasPrefix(keyword, "min")
	have := c.count(w, keyword, least)
	if have != nil && (least && have.Cmp(want) >= 0 || !least && have.Cmp(want) <= 0) || least && want.Sign() <= 0 {
		return nil
	}
	was := boundWords(least, have, false)
	if have == nil {
		was += " of"
	}
	return []gap{{at, keyword, was + countUnit(keyword, have), boundWords(least, want, false) + countUnit(keyword, want), true}}
}

// countUnit returns what a keyword counts, for n of it or, if n is nil, any number.
func countUnit(keyword string, n *big.Rat) string {
	unit := map[string]string{"Length": " character", "Items": " item", "Properties": " member"}[keyword[3:]]
	if n != nil && n.Cmp(big.NewRat(1, 1)) == 0 {
		return unit
	}
	return unit + "s"
}

// count returns the strictest bound of a way, also where it comes of other keywords; nil for none.
func (c *containment) count(w way, keyword string, least bool) (bound *big.Rat) {
	stricter := func(n *big.Rat) {
		if bound == nil || least && n.Cmp(bound) > 0 || !least && n.Cmp(bound) < 0 {
			bound = n
		}
	}
	for _, v := range w.with(keyword) {
		if n, ok := v.number(); ok {
			stricter(n)
		}
	}
	switch keyword {
	case "minProperties":
		names := w.required()
		slices.Sort(names)
		stricter(new(big.Rat).SetInt64(int64(len(slices.Compact(names)))))
	case "maxProperties":
		if len(w.patterns()) == 0 && c.sub.impossible(w.rest()) {
			stricter(new(big.Rat).SetInt64(int64(len(w.names()))))
		}
	case "maxItems":
		if c.sub.impossible(c.sub.item(w, -1)) {
			stricter(new(big.Rat).SetInt64(int64(c.sub.heads(w))))
		}
	}
	return bound
}

// uniqueGaps compares whether two items of an array may be alike.
func (c *containment) uniqueGaps(at string, w way, k *value) []gap {
	if k.kind != 't' || slices.ContainsFunc(w.with("uniqueItems"), func(v *value) bool { return v.kind == 't' }) {
		return nil
	}
	if most := c.count(w, "maxItems", false); most != nil && most.Cmp(big.NewRat(1, 1)) <= 0 {
		return nil
	}
	return []gap{{at, "uniqueItems", "items that may be alike", "no two items alike", true}}
}
