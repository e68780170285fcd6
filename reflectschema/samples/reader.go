package samples

import (
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/placeholder"
)

// A reader represents the Go type that decodes values of a schema. The schema of a type with its own methods for
// decoding may allow more than the methods accept; the reader returns values that they accept. The zero value is the
// reader of values whose Go type is unknown.
type reader struct{ node *codec.Node } // behind pointers

// readerOf returns the reader for n, which may be nil.
func readerOf(n *codec.Node) reader {
	if n == nil {
		return reader{}
	}
	return reader{n.Bare()}
}

// member returns the reader of the member of an object.
func (r reader) member(name string) reader {
	if r.node == nil {
		return reader{}
	}
	return readerOf(r.node.Member(name))
}

// element returns the reader of the elements of an array.
func (r reader) element() reader {
	if r.node == nil || r.node.Kind != codec.KindSlice && r.node.Kind != codec.KindArray {
		return reader{}
	}
	return readerOf(r.node.Elem)
}

// branch returns the reader of values of an alternative of the schema.
func (r reader) branch(d *jsondoc.Value) reader {
	if r.node == nil || r.node.Kind != codec.KindUnion {
		return r
	}
	name := d.Get("properties").Get(r.node.Discriminator).Get("const").Text()
	for i := range r.node.Arms {
		if r.node.Arms[i].Name == name {
			return readerOf(r.node.Arms[i].Node)
		}
	}
	return reader{}
}

// isAnyText reports whether a schema of strings gives no form in which they are written, which the Go type may require.
func isAnyText(d *jsondoc.Value) bool {
	return d.Get("type").Text() == "string" && d.Get("format") == nil && d.Get("pattern") == nil
}

// own returns a value, in JSON, that the methods of the type accept. It returns nil if the type has no such methods, so
// that the schema is sufficient, or if it finds no value.
func (r reader) own(d *jsondoc.Value) []byte {
	n := r.node
	if n == nil {
		return nil
	}
	for _, l := range n.Limits {
		if isWithinLimits(n, l.Text) {
			return jsondoc.AppendString(nil, l.Text)
		}
	}
	switch {
	case n.Kind == codec.KindText && d.Get("format") == nil && d.Get("pattern") == nil:
		if text := textExample(n); text != "" {
			return jsondoc.AppendString(nil, text)
		}
		return nil
	case n.Kind == codec.KindJSON && (len(d.Members) == 0 || n.Functions == nil && isAnyText(d)):
		raw, err := codec.MarshalJSON(reflect.New(n.GoType).Elem())
		if err != nil || codec.UnmarshalJSON(reflect.New(n.GoType).Elem(), raw) != nil {
			return nil
		}
		if _, err := authority.Parse(raw); err != nil || string(raw) == "null" || len(d.Members) > 0 && raw[0] != '"' {
			return nil
		}
		return jsondoc.Parse(raw).AppendTo(nil)
	default:
		return nil
	}
}

// isWithinLimits reports whether the type can decode a text, and all limits of the node allow the value.
func isWithinLimits(n *codec.Node, text string) bool {
	v := reflect.New(n.GoType).Elem()
	return codec.UnmarshalText(v, text) == nil && !slices.ContainsFunc(n.Limits, func(l codec.Limit) bool { return !l.Allows(v) })
}

// name returns a name that the methods of the key type of a map accept, "" if it finds none. Known is false if the key
// type has no such methods, so that names, the schema of the names, is sufficient.
func (r reader) name(names *jsondoc.Value) (name string, known bool) {
	n := r.node
	if n == nil || n.Kind != codec.KindMap || n.Key.Kind != codec.KindText || names.Get("format") != nil || names.Get("pattern") != nil {
		return "", false
	}
	return textExample(n.Key), true
}

// textExample returns a text that a type can decode: the text of its zero value, if possible, or else the first of the
// usual texts; "" if it accepts none.
func textExample(n *codec.Node) string {
	candidates := placeholder.Texts
	if text, err := codec.MarshalText(reflect.New(n.GoType).Elem()); err == nil && len(text) <= placeholder.MaxBytes {
		candidates = append([]string{text}, candidates...)
	}
	for _, text := range candidates {
		if text != "" && codec.UnmarshalText(reflect.New(n.GoType).Elem(), text) == nil {
			return text
		}
	}
	return ""
}
