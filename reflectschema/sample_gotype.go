package reflectschema

import (
	"reflect"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// The schema of a type that reads itself says little of what it reads, so an
// example made from the schema alone might be refused by the type. What the type
// takes is found by asking it.

// textCandidates are texts that one or the other type with UnmarshalText takes:
// words, numbers, times, addresses.
var textCandidates = []string{
	"text", "1", "true", "a", "2026-01-31", "2026-01-31T09:30:00Z", "1h30m", "192.0.2.1", "192.0.2.0/24", "192.0.2.1:80",
	"123e4567-e89b-12d3-a456-426614174000", "1.2.3", "en", "EUR", "#ffffff",
}

// ownExample returns what a type that reads itself takes, where its schema does
// not tell; nil for any other.
func ownExample(d *jsondoc.Value, n *node) []byte {
	switch {
	case n == nil:
		return nil
	case n.kind == kindText && d.Get("format") == nil && d.Get("pattern") == nil:
		if text := textExample(n); text != "" {
			return jsondoc.AppendString(nil, text)
		}
		return nil
	case n.kind == kindJSON && len(d.Members) == 0:
		raw, err := marshalJSON(reflect.New(n.goType).Elem())
		if err != nil || unmarshalJSON(reflect.New(n.goType).Elem(), raw) != nil {
			return nil
		}
		if _, err := parseStrict(raw); err != nil || string(raw) == "null" {
			return nil
		}
		return jsondoc.Parse(raw).AppendTo(nil)
	default:
		return nil
	}
}

// textExample returns a text that a type reads: the one of its zero value, if
// that has one, or else the first candidate; "" if it takes none of them.
func textExample(n *node) string {
	candidates := textCandidates
	if has(n.goType, textMarshaler) {
		if text, err := marshalText(reflect.New(n.goType).Elem()); err == nil && len(text) <= maxExample {
			candidates = append([]string{text}, candidates...)
		}
	}
	for _, text := range candidates {
		if text != "" && unmarshalText(reflect.New(n.goType).Elem(), text) == nil {
			return text
		}
	}
	return ""
}

// named returns the node that reads the member of this name, nil if none is known.
func (n *node) named(name string) *node {
	switch {
	case n == nil:
		return nil
	case n.kind == kindMap:
		return n.elem
	case n.kind == kindStruct:
		if i := n.fieldNamed(name); i >= 0 {
			return n.fields[i].node
		}
	}
	return nil
}

// inside returns the node that reads an element of an array, nil if none is known.
func (n *node) inside() *node {
	if n == nil || n.kind != kindSlice && n.kind != kindArray {
		return nil
	}
	return n.elem
}

// branch returns the node that reads what fits an alternative of a union; for
// any other type it is the type itself.
func (n *node) branch(d *jsondoc.Value) *node {
	if n == nil || n.kind != kindUnion {
		return n
	}
	name := d.Get("properties").Get(n.discriminator).Get("const").Text()
	for i := range n.arms {
		if n.arms[i].name == name {
			return n.arms[i].node
		}
	}
	return nil
}
