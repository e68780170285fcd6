package schemacompare

import (
	"math/big"
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// ofArray compares a keyword about arrays.
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
	default:
		return c.other(at, b, super, k.Name)
	}
}

// items compares the items of arrays.
func (c *comparison) items(at Location, b Branch, super *jsondoc.Value) (found []Difference) {
	heads, rest := c.super.tuple(super)
	most := c.sub.Count(b, jsondoc.MaxItems)
	named := max(len(heads), c.sub.heads(b))
	for i := range named {
		item := c.sub.item(b, i)
		if most != nil && most.Cmp(big.NewRat(int64(i), 1)) <= 0 || c.sub.impossible(item) {
			return found // there is no such item, and none after it
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

// unique compares whether two items of an array may be alike.
func (c *comparison) unique(at Location, b Branch, super *jsondoc.Value) []Difference {
	if !super.Get("uniqueItems").IsTrue() || slices.ContainsFunc(b.With("uniqueItems"), (*jsondoc.Value).IsTrue) {
		return nil
	}
	if most := c.sub.Count(b, jsondoc.MaxItems); most != nil && most.Cmp(big.NewRat(1, 1)) <= 0 {
		return nil
	}
	return []Difference{{At: at, Keyword: "uniqueItems", Sub: b, Super: super}}
}
