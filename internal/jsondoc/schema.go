package jsondoc

import "github.com/go-json-experiment/json/jsontext"

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
		case HeldBy(m.Name) == HoldsOne && m.Value.Kind == jsontext.KindBeginArray:
			for i, item := range m.Value.Items {
				item.EachSchema(in.Element(i), visit)
			}
		case HeldBy(m.Name) == HoldsOne:
			m.Value.EachSchema(in, visit)
		}
	}
}

// MapSchemas returns d with every schema inside it replaced by the result of change. Change gets the keyword that
// contains the schema, and the schema after the schemas inside it were replaced.
func (d *Value) MapSchemas(change func(keyword string, d *Value) *Value) *Value {
	members := d.Members
	for i, m := range d.Members {
		how := HeldBy(m.Name)
		if how == 0 {
			continue
		}
		value := m.Value.MapHeld(how, func(d *Value) *Value {
			if !d.IsSchema() {
				return d
			}
			return change(m.Name, d.MapSchemas(change))
		})
		members = replaced(members, d.Members, i, Member{m.Name, value})
	}
	return d.WithParts(members, d.Items)
}

// MapHeld returns d, the value of a keyword, with each schema that it contains replaced by the result of change.
func (d *Value) MapHeld(how Holds, change func(*Value) *Value) *Value {
	members, items := d.Members, d.Items
	switch {
	case how == HoldsNamed:
		for i, m := range d.Members {
			members = replaced(members, d.Members, i, Member{m.Name, change(m.Value)})
		}
	case d.Kind == jsontext.KindBeginArray:
		for i, item := range d.Items {
			items = replaced(items, d.Items, i, change(item))
		}
	default:
		return change(d)
	}
	return d.WithParts(members, items)
}
