package jsondoc

import "github.com/go-json-experiment/json/jsontext"

// HeldBy returns how the value of a keyword holds schemas. Whatever else a schema contains is data, whatever it looks like.
func HeldBy(keyword string) Holds { return byName[keyword].Holds }

// ItemSchemas returns the schemas of the first items of an array, and the one of the rest; nil
// if there are none.
func (d *Value) ItemSchemas() (heads, rest *Value) {
	heads, rest = d.Get("prefixItems"), d.Get("items")
	if rest.IsArray() { // draft-07
		return rest, d.Get("additionalItems")
	}
	return heads, rest
}

// EachSchema calls visit for d, which is the schema at p, and for every schema inside it, in the order of the document.
// When visit returns false, what is inside that schema is skipped.
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

// MapSchemas returns d with every schema inside it replaced by what change returns for it. Change gets the keyword that
// holds the schema, and the schema with what is inside it changed already.
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

// MapHeld returns d, the value of a keyword, with the schemas that it holds changed.
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
