package schemacompare

import (
	"math/big"
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// ofArray compares a keyword that applies to arrays.
func (c *comparison) ofArray(at Location, b Branch, super *jsondoc.Value, k jsondoc.Keyword) []Difference {
	switch {
	case k.Name == "items", k.Name == "prefixItems", k.Name == "additionalItems":
		if leads(super, k.Name, "prefixItems", "items", "additionalItems") {
			return c.items(at, b, super)
		}
		return nil
	case k.Name == "uniqueItems":
		return c.unique(at, b, super)
	case k.Limit != nil && k.Limit.Of == jsondoc.Items:
		return c.count(at, b, super, k)
	case k.Name == "contains" && super.Get("contains").IsSchema():
		return c.contains(at, b, super)
	case k.Beside == "contains":
		return nil // compared with contains, or without effect
	default:
		return c.other(at, b, super, k.Name)
	}
}

var maxItems, _ = jsondoc.KeywordNamed("maxItems")

// items compares the items of arrays: first each position that one of the schemas describes, then the rest.
func (c *comparison) items(at Location, b Branch, super *jsondoc.Value) (found []Difference) {
	heads, rest := c.super.tuple(super)
	most := c.sub.Count(b, maxItems)
	named := max(len(heads), c.sub.heads(b))
	for i := range named {
		item := c.sub.item(b, i)
		if most != nil && most.Cmp(big.NewRat(int64(i), 1)) <= 0 || c.sub.impossible(item) {
			return found // the array ends before this item
		}
		want := rest
		if i < len(heads) {
			want = heads[i]
		}
		if want != nil {
			found = c.merge(found, c.schemas(at.to(jsondoc.Step{Index: i}, b, super), item, want))
		}
	}
	if rest == nil || most != nil && most.Cmp(big.NewRat(int64(named), 1)) <= 0 {
		return found
	}
	return c.merge(found, c.schemas(at.to(jsondoc.Step{Index: jsondoc.AnyElement}, b, super), c.sub.item(b, -1), rest))
}

// unique compares uniqueItems.
func (c *comparison) unique(at Location, b Branch, super *jsondoc.Value) []Difference {
	if !super.Get("uniqueItems").IsTrue() || slices.ContainsFunc(b.With("uniqueItems"), (*jsondoc.Value).IsTrue) {
		return nil
	}
	if most := c.sub.Count(b, maxItems); most != nil && most.Cmp(big.NewRat(1, 1)) <= 0 {
		return nil
	}
	return []Difference{{At: at, Keyword: "uniqueItems", Sub: b, Super: super}}
}

// occurrences returns the bounds of the number of items that match contains. Draft-07 requires one and has no upper
// bound.
func (d *Document) occurrences(s *jsondoc.Value) (least, most int, limited bool) {
	if d.draft7 {
		return 1, 0, false
	}
	least, _ = s.Limit(jsondoc.Matches, true)
	most, limited = s.Limit(jsondoc.Matches, false)
	return least, most, limited
}

// contains compares contains with its bounds. An array certainly contains too many matching items only if a single
// value matches.
func (c *comparison) contains(at Location, b Branch, super *jsondoc.Value) (found []Difference) {
	want := super.Get("contains")
	least, most, limited := c.super.occurrences(super)
	if doubt, differs := c.tooFew(at, b, super, want, least); differs {
		d := Difference{At: at, Keyword: "contains", Sub: b, Super: super, Doubt: doubt}
		if super.Get("minContains") != nil && !c.super.draft7 {
			d.Keyword = "minContains"
		}
		found = append(found, d)
	}
	if !limited {
		return found
	}
	d := Difference{At: at, Keyword: "maxContains", Sub: b, Super: super, Doubt: Unknown}
	if items := c.sub.Count(b, maxItems); items != nil && items.Cmp(big.NewRat(int64(most), 1)) <= 0 {
		return found
	}
	item := c.sub.item(b, -1)
	only := Branch{want}.Listed()
	isPossible := len(only) == 1 && c.super.fits(only[0], want, 0) == yes && c.sub.heads(b) == 0 &&
		!slices.ContainsFunc(item, func(s *jsondoc.Value) bool { return c.sub.fits(only[0], s, 0) != yes })
	for _, s := range having(b, "contains") {
		_, theirs, isLimited := c.sub.occurrences(s)
		isSame := c.same(s.Get("contains"), want)
		if isSame && isLimited && theirs <= most {
			return found
		}
		isPossible = isPossible && isSame
	}
	if isPossible && len(b.With("uniqueItems")) == 0 {
		d.Doubt = None
	}
	return append(found, d)
}

// tooFew reports whether an array that fits a branch may have fewer than least items that fit want. It is certain for
// an array that may be shorter than least, and for one that can repeat an item that does not fit.
func (c *comparison) tooFew(at Location, b Branch, super, want *jsondoc.Value, least int) (doubt Doubt, differs bool) {
	below := at.to(jsondoc.Step{Index: jsondoc.AnyElement}, b, super)
	item := c.sub.item(b, -1)
	if c.sub.heads(b) > 0 {
		item = nil // any item: may report too many differences, never too few
	}
	fewest := c.sub.Count(b, jsondoc.LimitsOf(jsondoc.Items, true)[0])
	isShort := fewest == nil || fewest.Cmp(big.NewRat(int64(least), 1)) < 0
	others := c.schemas(below, item, want)
	if least == 0 || !isShort && len(others) == 0 {
		return None, false
	}
	isSame, isApart := true, slices.ContainsFunc(others, func(d Difference) bool { return d.Doubt == None })
	for _, s := range having(b, "contains") {
		matching := append(slices.Clip(item), s.Get("contains"))
		if theirs, _, _ := c.sub.occurrences(s); theirs >= least && len(c.schemas(below, matching, want)) == 0 {
			return None, false
		}
		branches, _ := c.sub.Branches(matching...)
		isSame = isSame && c.same(s.Get("contains"), want)
		isApart = isApart && !slices.ContainsFunc(branches, func(m Branch) bool { return !c.disjoint(m, want, 0) })
	}
	if isShort && isSame || isApart && c.sub.heads(b) == 0 && len(b.With("uniqueItems")) == 0 {
		return None, true
	}
	return Unknown, true
}

// having returns the schemas of a branch that contain a keyword.
func having(b Branch, keyword string) Branch {
	return slices.DeleteFunc(slices.Clone(b), func(s *jsondoc.Value) bool { return s.Get(keyword) == nil })
}
