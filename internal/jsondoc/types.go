package jsondoc

import (
	"strings"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Types is a set of the types of the JSON Schema keyword "type".
type Types uint8

// The types. As in JSON Schema, 1.0 is an integer; a fraction is any number that is not an integer.
const (
	TypeNull Types = 1 << iota
	TypeBool
	TypeInteger
	TypeFraction
	TypeString
	TypeArray
	TypeObject

	TypeNumber = TypeInteger | TypeFraction
	AnyType    = TypeNull | TypeBool | TypeNumber | TypeString | TypeArray | TypeObject
)

// typeNames are the type names of JSON Schema, in the order in which [Types.Names] lists them: null is last.
var typeNames = []struct {
	name string
	set  Types
}{
	{"object", TypeObject},
	{"array", TypeArray},
	{"string", TypeString},
	{"number", TypeNumber},
	{"integer", TypeInteger},
	{"boolean", TypeBool},
	{"null", TypeNull},
}

// TypesNamed returns the types with a type name of JSON Schema, the empty set for any other name.
func TypesNamed(name string) Types {
	for _, t := range typeNames {
		if t.name == name {
			return t.set
		}
	}
	return 0
}

// Names returns the names of the types in the set. JSON Schema has no name for numbers that are not integers: if the
// set has fractions but no integers, they are listed as "a fraction".
func (t Types) Names() (names []string) {
	for _, known := range typeNames {
		switch {
		case known.set == TypeInteger && t&TypeNumber == TypeNumber:
		case known.set == TypeNumber && t&TypeNumber == TypeFraction:
			names = append(names, "a fraction")
		case t&known.set == known.set:
			names = append(names, known.name)
		}
	}
	return names
}

// String returns the names of the types for messages, such as "string or null".
func (t Types) String() string {
	if t == AnyType {
		return "anything"
	}
	return strings.Join(t.Names(), " or ")
}

// Keyword returns the set as the JSON value of the keyword "type".
func (t Types) Keyword() string {
	names := t.Names()
	if len(names) == 1 {
		return string(AppendString(nil, names[0]))
	}
	d := Array()
	for _, name := range names {
		d.Items = append(d.Items, String(name))
	}
	return string(d.AppendTo(nil))
}

// Types returns the types that d, the value of the keyword "type", allows. A nil d allows all, an invalid value none.
func (d *Value) Types() (set Types) {
	switch {
	case d == nil:
		return AnyType
	case d.Kind != rawjson.Array:
		return TypesNamed(d.Text())
	}
	for _, item := range d.Items {
		set |= TypesNamed(item.Text())
	}
	return set
}

// Type returns the type of d, which must not be nil.
func (d *Value) Type() Types {
	switch d.Kind {
	case rawjson.Null:
		return TypeNull
	case rawjson.Bool:
		return TypeBool
	case rawjson.String:
		return TypeString
	case rawjson.Array:
		return TypeArray
	case rawjson.Object:
		return TypeObject
	default:
		if n, ok := d.Number(); ok && n.IsInt() {
			return TypeInteger
		}
		return TypeFraction
	}
}

// Listed returns the only values that the schema d allows, from const or else from enum; nil if it has neither.
func (d *Value) Listed() []*Value {
	if only := d.Get("const"); only != nil {
		return []*Value{only}
	}
	return d.Get("enum").Elements()
}

// AllowedTypes returns the types that type, const, enum and multipleOf of the schema d allow.
func (d *Value) AllowedTypes() Types {
	if d.RefusesAll() {
		return 0
	}
	set := d.Get("type").Types()
	if unit, ok := d.Get("multipleOf").Number(); ok && unit.IsInt() {
		set &^= TypeFraction
	}
	values := d.Listed()
	if values == nil {
		return set
	}
	var listed Types
	for _, v := range values {
		listed |= v.Type()
	}
	return set & listed
}
