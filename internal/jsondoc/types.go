package jsondoc

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Types is a set of JSON types, as the keyword type of JSON Schema knows them.
type Types uint8

// The types. A fraction is a number that is no integer: 1.0 is one.
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

// typeNames are the types by the names that JSON Schema gives them, null last, in the order in which they are listed.
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

// TypesNamed returns what a name of JSON Schema stands for, the empty set for another name.
func TypesNamed(name string) Types {
	for _, t := range typeNames {
		if t.name == name {
			return t.set
		}
	}
	return 0
}

// Names returns the names of the types in the set. Numbers that are no integers have none of their own: "a fraction".
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

// String lists the types for people.
func (t Types) String() string {
	if t == AnyType {
		return "anything"
	}
	return strings.Join(t.Names(), " or ")
}

// Keyword returns the set as the value of the keyword type, in JSON.
func (t Types) Keyword() string {
	names := t.Names()
	if len(names) == 1 {
		return string(AppendString(nil, names[0]))
	}
	d := Value{Kind: jsontext.KindBeginArray}
	for _, name := range names {
		d.Items = append(d.Items, String(name))
	}
	return string(d.AppendTo(nil))
}

// Types returns the types that d, the value of the keyword type, names: all if d is nil, none if it is no such value.
func (d *Value) Types() (set Types) {
	switch {
	case d == nil:
		return AnyType
	case d.Kind != jsontext.KindBeginArray:
		return TypesNamed(d.Text())
	}
	for _, item := range d.Items {
		set |= TypesNamed(item.Text())
	}
	return set
}

// Type returns the type of d, which is not nil.
func (d *Value) Type() Types {
	switch d.Kind {
	case jsontext.KindNull:
		return TypeNull
	case jsontext.KindTrue, jsontext.KindFalse:
		return TypeBool
	case jsontext.KindString:
		return TypeString
	case jsontext.KindBeginArray:
		return TypeArray
	case jsontext.KindBeginObject:
		return TypeObject
	default:
		if n, ok := d.Number(); ok && n.IsInt() {
			return TypeInteger
		}
		return TypeFraction
	}
}
