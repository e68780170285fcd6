package compat

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
)

// itemGaps compares the items of arrays.
func (c *containment) itemGaps(at string, w way, super *value) (gaps []gap) {
	heads, rest := c.super.tuple(super)
	most := c.count(w, "maxItems", false)
	for i := range max(len(heads), c.sub.heads(w)) {
		item := c.sub.item(w, i)
		if most != nil && most.Cmp(big.NewRat(int64(i), 1)) <= 0 || c.sub.impossible(item) {
			return gaps // there is no such item, and none after it
		}
		want := rest
		if i < len(heads) {
			want = heads[i]
		}
		if want != nil {
			gaps = merge(gaps, c.gaps(fmt.Sprintf("%s[%d]", at, i), item, want))
		}
	}
	if rest == nil || most != nil && most.Cmp(big.NewRat(int64(max(len(heads), c.sub.heads(w))), 1)) <= 0 {
		return gaps
	}
	return merge(gaps, c.gaps(at+"[]", c.sub.item(w, -1), rest))
}

// memberGaps compares the members of objects: those with names, those whose names match a pattern, and the
// others.
func (c *containment) memberGaps(at string, w way, super *value) (gaps []gap) {
	s := way{super}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(w.names(), s.names())))) {
		gaps = merge(gaps, c.propertyGaps(member(at, name), w, super, name))
	}
	others := member(at, "*")
	rest := super.get("additionalProperties")
	known := super.get("patternProperties")
	theirs := w.patterns()
	for _, pattern := range slices.Sorted(maps.Keys(theirs)) {
		if same := known.get(pattern); same != nil {
			gaps = merge(gaps, c.gaps(others, theirs[pattern], same))
		} else if rest != nil {
			gaps = merge(gaps, c.gaps(others, theirs[pattern], rest))
		}
		gaps = merge(gaps, c.matchGaps(others, theirs[pattern], known, pattern))
	}
	if rest != nil {
		gaps = merge(gaps, c.othersGaps(others, w, rest))
	}
	return merge(gaps, c.matchGaps(others, w.rest(), known, ""))
}

// propertyGaps compares a member that one of the schemas names.
func (c *containment) propertyGaps(at string, w way, super *value, name string) (gaps []gap) {
	have := w.property(name)
	if c.sub.impossible(have) {
		return nil
	}
	wanted, matched := []*value(nil), unknown
	if p := super.get("properties").get(name); p != nil {
		wanted, matched = append(wanted, p), yes
	}
	patterns := super.get("patternProperties")
	if patterns != nil {
		for _, pattern := range patterns.names {
			switch matches(pattern, name) {
			case yes:
				wanted, matched = append(wanted, patterns.members[pattern]), yes
			case unknown:
				gaps = merge(gaps, unsure(c.gaps(at, have, patterns.members[pattern])))
			case no:
			}
		}
	}
	if rest := super.get("additionalProperties"); rest != nil && matched != yes {
		wanted = append(wanted, rest)
	}
	for _, want := range wanted {
		found := c.gaps(at, have, want)
		if !slices.Contains(w.names(), name) {
			found = unsure(found) // it could be there, but nobody was told of it
		}
		gaps = merge(gaps, found)
	}
	return gaps
}

// othersGaps compares members that nobody names.
func (c *containment) othersGaps(at string, w way, rest *value) []gap {
	have := w.rest()
	if rest.kind == 'f' && !c.sub.impossible(have) {
		return []gap{{at, "additionalProperties", "let through", "refused", true}}
	}
	return c.gaps(at, have, rest)
}

// matchGaps compares members with patterns of names that they might match, without one that was
// looked at.
func (c *containment) matchGaps(at string, have []*value, patterns *value, seen string) (gaps []gap) {
	if patterns == nil || c.sub.impossible(have) {
		return nil
	}
	for _, pattern := range patterns.names {
		if pattern != seen {
			gaps = merge(gaps, unsure(c.gaps(at, have, patterns.members[pattern])))
		}
	}
	return gaps
}

// requiredGaps compares which members must be there.
func (c *containment) requiredGaps(at string, w way, k *value) (gaps []gap) {
	have := w.required()
	for _, item := range k.items {
		name := item.string()
		if slices.Contains(have, name) {
			continue
		}
		sub := "optional"
		if c.sub.impossible(w.property(name)) {
			sub = "not there"
		}
		gaps = append(gaps, gap{member(at, name), "required", sub, "required", true})
	}
	return gaps
}

// nameGaps compares which names members may have.
func (c *containment) nameGaps(at string, w way, k *value) []gap {
	if slices.ContainsFunc(w.with("propertyNames"), func(d *value) bool { return c.same(d, k) }) {
		return nil
	}
	if len(w.patterns()) == 0 && c.sub.impossible(w.rest()) {
		refused := func(name string) bool {
			return !c.sub.impossible(w.property(name)) && c.super.fits(&value{kind: '"', text: name}, k, 0) != yes
		}
		if !slices.ContainsFunc(w.names(), refused) {
			return nil
		}
	}
	return unsure(c.gaps(member(at, "*")+" (name)", append(w.with("propertyNames"), typed["string"]), k))
}
