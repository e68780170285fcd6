package jsondoc

import (
	"bytes"
	"math/big"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Value is a JSON value that preserves the order of its members and the spelling of its numbers and strings. It is
// immutable: methods that edit it return a new Value, which shares the unchanged parts. A nil Value is an absent one;
// the methods that only read accept nil, except for AppendTo and Type.
type Value struct {
	Kind    rawjson.Kind // Object, Array, or the kind of Raw
	Members []Member     // of an object
	Items   []*Value     // of an array
	Raw     []byte       // the JSON of a string, number, boolean or null
}

// Member is a member of an object.
type Member struct {
	Name  string
	Value *Value
}

// Parse reads a JSON value. From invalid JSON, and from JSON that nests more than [rawjson.MaxDepth] deep, it returns the
// part before the error. It keeps members with duplicate names, and ignores data after the value.
func Parse(data []byte) *Value {
	s := rawjson.New(data, 0)
	return parse(&s)
}

// parse reads one value. It does not add a part that has an error to the value that contains it.
func parse(s *rawjson.Scanner) *Value {
	d := &Value{Kind: s.Next()}
	switch d.Kind {
	case rawjson.Object:
		s.OpenObject()
		for name, ok := s.Member(); ok; name, ok = s.Member() {
			m := Member{Name: string(name)}
			if m.Value = parse(s); s.Err() == nil {
				d.Members = append(d.Members, m)
			}
		}
	case rawjson.Array:
		s.OpenArray()
		for s.Element() {
			if item := parse(s); s.Err() == nil {
				d.Items = append(d.Items, item)
			}
		}
	default:
		if d.Raw = bytes.Clone(s.Value()); d.Raw == nil {
			d.Kind = rawjson.Invalid
		}
	}
	return d
}

// AppendTo appends d as compact JSON.
func (d *Value) AppendTo(dst []byte) []byte {
	switch d.Kind {
	case rawjson.Object:
		dst = append(dst, '{')
		for i, m := range d.Members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(AppendString(dst, m.Name), ':')
			dst = m.Value.AppendTo(dst)
		}
		return append(dst, '}')
	case rawjson.Array:
		dst = append(dst, '[')
		for i, item := range d.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.AppendTo(dst)
		}
		return append(dst, ']')
	default:
		return append(dst, d.Raw...)
	}
}

// Get returns the value of the first member with this name, nil if there is none.
func (d *Value) Get(name string) *Value {
	if d == nil {
		return nil
	}
	for _, m := range d.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// Text returns the decoded text of a string, "" for any other value.
func (d *Value) Text() string {
	if d == nil || d.Kind != rawjson.String {
		return ""
	}
	return string(rawjson.Unquote(d.Raw))
}

// IsBool reports whether d is true or false.
func (d *Value) IsBool() bool { return d != nil && d.Kind == rawjson.Bool }

// IsTrue reports whether d is true.
func (d *Value) IsTrue() bool { return d.IsBool() && d.Raw[0] == 't' }

// IsFalse reports whether d is false.
func (d *Value) IsFalse() bool { return d.IsBool() && d.Raw[0] == 'f' }

// IsObject reports whether d is an object.
func (d *Value) IsObject() bool { return d != nil && d.Kind == rawjson.Object }

// AcceptsAll reports whether d is a schema that accepts every value because it has no keywords: true or {}.
func (d *Value) AcceptsAll() bool { return d.IsTrue() || d.IsObject() && len(d.Members) == 0 }

// RefusesAll reports whether d is one of the usual spellings of a schema that accepts no value: false, or "not" with a
// schema that accepts every value.
func (d *Value) RefusesAll() bool { return d.IsFalse() || d.Get("not").AcceptsAll() }

// IsArray reports whether d is an array.
func (d *Value) IsArray() bool { return d != nil && d.Kind == rawjson.Array }

// Number returns the exact value of a number, false for any other value. The caller must first check the exponents of
// untrusted numbers: a short one such as 1e999999999 takes a lot of memory.
func (d *Value) Number() (*big.Rat, bool) {
	if d == nil || d.Kind != rawjson.Number {
		return nil, false
	}
	return new(big.Rat).SetString(string(d.Raw))
}

// Equal reports whether d and other are equal as JSON values: numbers are compared by value, and the order of members
// does not matter.
func (d *Value) Equal(other *Value) bool {
	if d == nil || other == nil || d == other {
		return d == other
	}
	if d.Kind != other.Kind || len(d.Items) != len(other.Items) || len(d.Members) != len(other.Members) {
		return false
	}
	for i, item := range d.Items {
		if !item.Equal(other.Items[i]) {
			return false
		}
	}
	for _, m := range d.Members {
		if !m.Value.Equal(other.Get(m.Name)) {
			return false
		}
	}
	switch d.Kind {
	case rawjson.Number:
		n, _ := d.Number()
		o, _ := other.Number()
		return n != nil && o != nil && n.Cmp(o) == 0
	case rawjson.String:
		return d.Text() == other.Text()
	case rawjson.Bool:
		return d.IsTrue() == other.IsTrue()
	default:
		return true
	}
}

// Object returns an object with these members.
func Object(members ...Member) *Value { return &Value{Kind: rawjson.Object, Members: members} }

// Array returns an array with these items.
func Array(items ...*Value) *Value { return &Value{Kind: rawjson.Array, Items: items} }

// String returns the JSON string with the text s; invalid UTF-8 becomes U+FFFD.
func String(s string) *Value {
	return &Value{Kind: rawjson.String, Raw: AppendString(nil, s)}
}

// AppendString appends s as a JSON string with the fewest escapes; invalid UTF-8 becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	return rawjson.AppendMinimal(dst, rawjson.ValidUTF8(s))
}

// Elements returns the items of an array, nil for any other value.
func (d *Value) Elements() []*Value {
	if d == nil {
		return nil
	}
	return d.Items
}

// IsNull reports whether d is null.
func (d *Value) IsNull() bool { return d != nil && d.Kind == rawjson.Null }

// IsSchema reports whether d has the JSON type of a schema: an object or a boolean.
func (d *Value) IsSchema() bool {
	return d != nil && (d.Kind == rawjson.Object || d.IsBool())
}

// Count returns the value of a number that is written as an integer and fits an int, 0 for any other value.
func (d *Value) Count() int {
	if d == nil {
		return 0
	}
	n, _ := strconv.Atoi(string(d.Raw))
	return n
}

// Texts returns the texts of the items of an array, "" for each item that is not a string.
func (d *Value) Texts() []string {
	if d == nil {
		return nil
	}
	list := make([]string, 0, len(d.Items))
	for _, item := range d.Items {
		list = append(list, item.Text())
	}
	return list
}

// Entries returns the members of an object, nil for any other value.
func (d *Value) Entries() []Member {
	if d == nil {
		return nil
	}
	return d.Members
}
