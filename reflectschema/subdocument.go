package reflectschema

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// holds says how the value of a keyword holds schemas.
type holds uint8

const (
	holdsOne   holds = iota + 1 // it is one, or an array of them
	holdsNamed                  // it is an object whose values are schemas
)

// applicators are the keywords of both dialects whose values hold schemas.
// Whatever else a document contains is data, whatever it looks like.
var applicators = map[string]holds{
	"$defs":                 holdsNamed,
	"definitions":           holdsNamed,
	"properties":            holdsNamed,
	"patternProperties":     holdsNamed,
	"dependentSchemas":      holdsNamed,
	"dependencies":          holdsNamed, // a value may be an array of names too
	"additionalProperties":  holdsOne,
	"unevaluatedProperties": holdsOne,
	"propertyNames":         holdsOne,
	"items":                 holdsOne,
	"prefixItems":           holdsOne,
	"additionalItems":       holdsOne,
	"unevaluatedItems":      holdsOne,
	"contains":              holdsOne,
	"contentSchema":         holdsOne,
	"allOf":                 holdsOne,
	"anyOf":                 holdsOne,
	"oneOf":                 holdsOne,
	"not":                   holdsOne,
	"if":                    holdsOne,
	"then":                  holdsOne,
	"else":                  holdsOne,
}

// eachSchema calls visit for d, which is a schema at the place p, and for
// every schema inside it, in document order. When visit returns false, what is
// inside that schema is passed over.
func (d *document) eachSchema(p path, visit func(p path, d *document) bool) {
	if !d.isSchema() || !visit(p, d) {
		return
	}
	for _, m := range d.members {
		in := p.member(m.name)
		switch {
		case applicators[m.name] == holdsNamed:
			for _, named := range m.value.members {
				named.value.eachSchema(in.member(named.name), visit)
			}
		case applicators[m.name] == holdsOne && m.value.kind == jsontext.KindBeginArray:
			for i, item := range m.value.items {
				item.eachSchema(in.element(i), visit)
			}
		case applicators[m.name] == holdsOne:
			m.value.eachSchema(in, visit)
		}
	}
}

// mapSchemas returns d with every schema inside it replaced by what change
// returns for it; change is given the keyword that holds the schema, and the
// schema with its own insides changed already. Parts without a change are shared.
func (d *document) mapSchemas(change func(keyword string, d *document) *document) *document {
	members := d.members
	for i, m := range d.members {
		how := applicators[m.name]
		if how == 0 {
			continue
		}
		value := m.value.mapHeld(how, func(d *document) *document {
			if !d.isSchema() {
				return d
			}
			return change(m.name, d.mapSchemas(change))
		})
		members = replaced(members, d.members, i, member{m.name, value})
	}
	return d.having(members, d.items)
}

// replaced returns list with item i set to value. Until the first one that differs, list
// is the original, of which it makes a copy then.
func replaced[T comparable](list, original []T, i int, value T) []T {
	if original[i] == value {
		return list
	}
	if &list[0] == &original[0] {
		list = slices.Clone(original)
	}
	list[i] = value
	return list
}

// having returns d with these members and items: d itself, if they are its own.
func (d *document) having(members []member, items []*document) *document {
	if same(members, d.members) && same(items, d.items) {
		return d
	}
	copied := *d
	copied.members, copied.items = members, items
	return &copied
}

// same reports whether two slices of one length are one slice.
func same[T any](a, b []T) bool { return len(a) == 0 || &a[0] == &b[0] }

// mapHeld returns the value d of a keyword with the schemas it holds changed.
func (d *document) mapHeld(how holds, change func(*document) *document) *document {
	members, items := d.members, d.items
	switch {
	case how == holdsNamed:
		for i, m := range d.members {
			members = replaced(members, d.members, i, member{m.name, change(m.value)})
		}
	case d.kind == jsontext.KindBeginArray:
		for i, item := range d.items {
			items = replaced(items, d.items, i, change(item))
		}
	default:
		return change(d)
	}
	return d.having(members, items)
}

// with returns d with the member called name set to value.
func (d *document) with(name string, value *document) *document {
	copied := *d
	copied.members = make([]member, 0, len(d.members)+1)
	for _, m := range d.members {
		if m.name == name {
			m.value, value = value, nil
		}
		copied.members = append(copied.members, m)
	}
	if value != nil {
		copied.members = append(copied.members, member{name, value})
	}
	return &copied
}

// without returns d without the members of these names.
func (d *document) without(names ...string) *document {
	copied := *d
	copied.members = nil
	for _, m := range d.members {
		keep := true
		for _, name := range names {
			keep = keep && m.name != name
		}
		if keep {
			copied.members = append(copied.members, m)
		}
	}
	return &copied
}

// count returns the small whole number d is, or 0.
func (d *document) count() int {
	if d == nil {
		return 0
	}
	n, _ := strconv.Atoi(string(d.raw))
	return n
}

// texts returns the strings of an array.
func (d *document) texts() []string {
	if d == nil {
		return nil
	}
	list := make([]string, 0, len(d.items))
	for _, item := range d.items {
		list = append(list, item.text())
	}
	return list
}

// all returns the members of an object, none for a nil d.
func (d *document) all() []member {
	if d == nil {
		return nil
	}
	return d.members
}
