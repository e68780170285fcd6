package jsondoc

import "github.com/go-json-experiment/json/jsontext"

// Holds says how the value of a keyword holds schemas. The zero value is that it holds none.
type Holds uint8

const (
	// HoldsOne is a value that is a schema, or an array of schemas.
	HoldsOne Holds = iota + 1
	// HoldsNamed is an object whose members are schemas.
	HoldsNamed
)

// Applicator returns how the value of a keyword, of draft-07 or 2020-12, holds schemas. Whatever else a schema contains is
// data, whatever it looks like.
func Applicator(keyword string) Holds { return applicators[keyword] }

var applicators = map[string]Holds{
	"$defs":                 HoldsNamed,
	"definitions":           HoldsNamed,
	"properties":            HoldsNamed,
	"patternProperties":     HoldsNamed,
	"dependentSchemas":      HoldsNamed,
	"dependencies":          HoldsNamed, // a value may be an array of names too
	"additionalProperties":  HoldsOne,
	"unevaluatedProperties": HoldsOne,
	"propertyNames":         HoldsOne,
	"items":                 HoldsOne,
	"prefixItems":           HoldsOne,
	"additionalItems":       HoldsOne,
	"unevaluatedItems":      HoldsOne,
	"contains":              HoldsOne,
	"contentSchema":         HoldsOne,
	"allOf":                 HoldsOne,
	"anyOf":                 HoldsOne,
	"oneOf":                 HoldsOne,
	"not":                   HoldsOne,
	"if":                    HoldsOne,
	"then":                  HoldsOne,
	"else":                  HoldsOne,
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
		case applicators[m.Name] == HoldsNamed:
			for _, named := range m.Value.Members {
				named.Value.EachSchema(in.Member(named.Name), visit)
			}
		case applicators[m.Name] == HoldsOne && m.Value.Kind == jsontext.KindBeginArray:
			for i, item := range m.Value.Items {
				item.EachSchema(in.Element(i), visit)
			}
		case applicators[m.Name] == HoldsOne:
			m.Value.EachSchema(in, visit)
		}
	}
}

// MapSchemas returns d with every schema inside it replaced by what change returns for it. Change gets the keyword that
// holds the schema, and the schema with what is inside it changed already.
func (d *Value) MapSchemas(change func(keyword string, d *Value) *Value) *Value {
	members := d.Members
	for i, m := range d.Members {
		how := applicators[m.Name]
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
