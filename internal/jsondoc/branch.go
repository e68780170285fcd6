package jsondoc

import (
	"math/big"
	"slices"
)

// A Branch is schemas that apply together to a value. Its methods ignore references, parts and alternatives in them.
type Branch []*Value

// With returns the values of a keyword.
func (b Branch) With(keyword string) (values []*Value) {
	for _, s := range b {
		if v := s.Get(keyword); v != nil {
			values = append(values, v)
		}
	}
	return values
}

// Listed returns the values of const, or else of the shortest enum; nil if there is neither.
func (b Branch) Listed() (list []*Value) {
	for _, s := range b {
		if only := s.Get("const"); only != nil {
			return []*Value{only}
		}
		if enum := s.Get("enum"); enum != nil && (list == nil || len(enum.Items) < len(list)) {
			list = enum.Elements()
		}
	}
	return list
}

// Types returns the types that type, enum, const and multipleOf allow.
func (b Branch) Types() Types {
	set := AnyType
	for _, s := range b {
		set &= s.Get("type").Types()
		if unit, ok := s.Get("multipleOf").Number(); ok && unit.IsInt() {
			set &^= TypeFraction
		}
	}
	if values := b.Listed(); values != nil {
		var listed Types
		for _, v := range values {
			listed |= v.Type()
		}
		set &= listed
	}
	return set
}

// Names returns the names of the properties, each once, in the order of the schemas.
func (b Branch) Names() (names []string) {
	for _, properties := range b.With("properties") {
		for _, p := range properties.Members {
			names = append(names, p.Name)
		}
	}
	return distinct(names)
}

// Required returns the names of required members, each once.
func (b Branch) Required() (names []string) {
	for _, list := range b.With("required") {
		names = append(names, list.Texts()...)
	}
	return distinct(names)
}

func distinct(names []string) []string {
	seen := make(map[string]bool, len(names))
	return slices.DeleteFunc(names, func(name string) bool {
		isKnown := seen[name]
		seen[name] = true
		return isKnown
	})
}

// Bound returns the strictest bound of a number at one end, nil for none, its keyword, and whether the bound itself is
// excluded. If whole is set, it is the bound of integers: the first integer that is allowed.
func (b Branch) Bound(least, whole bool) (keyword string, bound *big.Rat, excluded bool) {
	sign := 1
	if !least {
		sign = -1
	}
	for _, k := range LimitsOf("", least) {
		for _, v := range b.With(k.Name) {
			n, ok := v.Number()
			if !ok {
				continue
			}
			out := k.Limit.Open
			if whole {
				n, out = wholeBound(n, out, least), false
			}
			if bound == nil || sign*n.Cmp(bound) > 0 || n.Cmp(bound) == 0 && out {
				keyword, bound, excluded = k.Name, n, out
			}
		}
	}
	return keyword, bound, excluded
}

// wholeBound returns the first integer that a bound allows.
func wholeBound(n *big.Rat, out, least bool) *big.Rat {
	floor := new(big.Int).Div(n.Num(), n.Denom())
	switch {
	case n.IsInt() && !out:
	case n.IsInt() && !least:
		floor.Sub(floor, big.NewInt(1))
	case least:
		floor.Add(floor, big.NewInt(1))
	}
	return new(big.Rat).SetInt(floor)
}
