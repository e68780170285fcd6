package jsondoc

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Value is a JSON value that keeps the order of its members and the spelling of its numbers and strings. It is never
// changed once it was read; what is written anew shares the parts that are the same. All methods but AppendTo take a nil
// Value, which is one that is absent.
type Value struct {
	Kind    jsontext.Kind // KindBeginObject, KindBeginArray, or the kind of Raw
	Members []Member      // of an object
	Items   []*Value      // of an array
	Raw     []byte        // the JSON of a string, number, boolean or null
}

// Member is a member of an object.
type Member struct {
	Name  string
	Value *Value
}

// Parse reads a JSON value, valid or not: of what is none it returns the part up to the mistake. Of two members with one
// name it keeps both.
func Parse(data []byte) *Value {
	d, _ := read(jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true)))
	return d
}

// read reads one value, and reports whether it is there to its end. After an error the decoder stays where it is, so
// nothing more may be read.
func read(dec *jsontext.Decoder) (d *Value, ok bool) {
	d = &Value{Kind: dec.PeekKind()}
	var value *Value
	switch d.Kind {
	case jsontext.KindBeginObject:
		_, _ = dec.ReadToken()
		for ok = true; ok && dec.PeekKind() == jsontext.KindString; {
			tok, _ := dec.ReadToken()
			name := tok.String()
			if value, ok = read(dec); ok {
				d.Members = append(d.Members, Member{name, value})
			}
		}
	case jsontext.KindBeginArray:
		_, _ = dec.ReadToken()
		for ok = true; ok && dec.PeekKind() != jsontext.KindEndArray; {
			if value, ok = read(dec); ok {
				d.Items = append(d.Items, value)
			}
		}
	default:
		raw, err := dec.ReadValue()
		d.Raw = bytes.Clone(raw)
		return d, err == nil
	}
	if ok {
		_, err := dec.ReadToken()
		ok = err == nil
	}
	return d, ok
}

// AppendTo appends d as compact JSON.
func (d *Value) AppendTo(dst []byte) []byte {
	switch d.Kind {
	case jsontext.KindBeginObject:
		dst = append(dst, '{')
		for i, m := range d.Members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(AppendString(dst, m.Name), ':')
			dst = m.Value.AppendTo(dst)
		}
		return append(dst, '}')
	case jsontext.KindBeginArray:
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

// Get returns the first member of that name, nil if there is none.
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

// Text returns the text of a string, "" for another value.
func (d *Value) Text() string {
	if d == nil || d.Kind != jsontext.KindString {
		return ""
	}
	s, _ := jsontext.AppendUnquote(nil, d.Raw) // valid: it was parsed
	return string(s)
}

// IsBool reports whether d is true or false.
func (d *Value) IsBool() bool {
	return d != nil && (d.Kind == jsontext.KindTrue || d.Kind == jsontext.KindFalse)
}

// String returns the JSON string with the text s; invalid UTF-8 becomes U+FFFD.
func String(s string) *Value {
	return &Value{Kind: jsontext.KindString, Raw: AppendString(nil, s)}
}

// AppendString appends s as a JSON string with the fewest escapes; invalid
// UTF-8 becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // its error only says that it replaced
	return dst
}

// Elements returns the items of an array.
func (d *Value) Elements() []*Value {
	if d == nil {
		return nil
	}
	return d.Items
}

// IsNull reports whether d is null.
func (d *Value) IsNull() bool { return d != nil && d.Kind == jsontext.KindNull }

// IsSchema reports whether d can be a schema at all: an object or a boolean.
func (d *Value) IsSchema() bool {
	return d != nil && (d.Kind == jsontext.KindBeginObject || d.IsBool())
}

// Count returns the value of a number that is written as an int, 0 for another value.
func (d *Value) Count() int {
	if d == nil {
		return 0
	}
	n, _ := strconv.Atoi(string(d.Raw))
	return n
}

// Texts returns the texts of the items of an array, "" for each that is no string.
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

// Entries returns the members of an object.
func (d *Value) Entries() []Member {
	if d == nil {
		return nil
	}
	return d.Members
}
