package jsondoc

import (
	"slices"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// HeldBy returns how the value of a keyword contains schemas. The values of all other keywords are data, even if they
// look like schemas.
func HeldBy(keyword string) Holds { return byName[keyword].Holds }

// ItemSchemas returns the list of the schemas of the first items of an array, and the schema of the rest. Each is nil
// if d does not have it.
func (d *Value) ItemSchemas() (heads, rest *Value) {
	heads, rest = d.Get("prefixItems"), d.Get("items")
	if rest.IsArray() { // draft-07
		return rest, d.Get("additionalItems")
	}
	return heads, rest
}

// EachSchema calls visit for d, the schema at p, and for every schema inside it, in document order. If visit returns
// false, the schemas inside that schema are skipped.
func (d *Value) EachSchema(p Path, visit func(p Path, d *Value) bool) {
	if !d.IsSchema() || !visit(p, d) {
		return
	}
	for _, m := range d.Members {
		in := p.Member(m.Name)
		switch {
		case HeldBy(m.Name) == HoldsNamed:
			for _, named := range m.Value.Members {
				named.Value.EachSchema(in.Member(named.Name), visit)
			}
		case HeldBy(m.Name) == HoldsOne && m.Value.Kind == rawjson.Array:
			for i, item := range m.Value.Items {
				item.EachSchema(in.Element(i), visit)
			}
		case HeldBy(m.Name) == HoldsOne:
			m.Value.EachSchema(in, visit)
		}
	}
}

// MapSchemas returns a copy of d with every schema inside it replaced by the result of change. Change gets the keyword
// that contains the schema, and the schema after the schemas inside it were replaced.
func (d *Value) MapSchemas(change func(keyword string, d *Value) *Value) *Value {
	return d.MapHeld(func(keyword string, held *Value) *Value { return change(keyword, held.MapSchemas(change)) })
}

// MapHeld returns a copy of d with the schemas in its keywords replaced by the result of change, which gets the keyword.
// It leaves the schemas inside them to change.
func (d *Value) MapHeld(change func(keyword string, d *Value) *Value) *Value {
	made := d.WithParts(slices.Clone(d.Members), d.Items)
	for i, m := range made.Members {
		changed := func(d *Value) *Value {
			if !d.IsSchema() {
				return d
			}
			return change(m.Name, d)
		}
		switch how := HeldBy(m.Name); {
		case how == HoldsNamed, how == HoldsOne && m.Value.IsArray():
			held := m.Value.WithParts(slices.Clone(m.Value.Members), slices.Clone(m.Value.Items))
			for i := range held.Members {
				held.Members[i].Value = changed(held.Members[i].Value)
			}
			for i := range held.Items {
				held.Items[i] = changed(held.Items[i])
			}
			made.Members[i].Value = held
		case how == HoldsOne:
			made.Members[i].Value = changed(m.Value)
		}
	}
	return made
}
