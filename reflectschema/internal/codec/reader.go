package codec

import (
	"reflect"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/sample"
)

// sampleReader is a [sample.Reader] for a node. It calls the methods of types to find values that they accept.
type sampleReader struct{ node *Node } // behind pointers

// ReaderOf returns the Reader for n, which may be nil.
func ReaderOf(n *Node) sample.Reader {
	if n == nil {
		return sample.Unknown
	}
	return sampleReader{n.Bare()}
}

func (r sampleReader) Member(name string) sample.Reader { return ReaderOf(r.node.Member(name)) }

func (r sampleReader) Element() sample.Reader {
	if r.node.Kind != KindSlice && r.node.Kind != KindArray {
		return sample.Unknown
	}
	return ReaderOf(r.node.Elem)
}

func (r sampleReader) Branch(d *jsondoc.Value) sample.Reader {
	if r.node.Kind != KindUnion {
		return r
	}
	name := d.Get("properties").Get(r.node.Discriminator).Get("const").Text()
	for i := range r.node.Arms {
		if r.node.Arms[i].Name == name {
			return ReaderOf(r.node.Arms[i].Node)
		}
	}
	return sample.Unknown
}

// isAnyText reports whether a schema of strings gives no form in which they are written, which the Go type may require.
func isAnyText(d *jsondoc.Value) bool {
	return d.Get("type").Text() == "string" && d.Get("format") == nil && d.Get("pattern") == nil
}

func (r sampleReader) Own(d *jsondoc.Value) []byte {
	n := r.node
	for _, l := range n.Limits {
		if !l.bounds().Open && n.exceeded(l.bound, "") == nil {
			return jsondoc.AppendString(nil, l.Text)
		}
	}
	switch {
	case n.Kind == KindText && d.Get("format") == nil && d.Get("pattern") == nil:
		if text := textExample(n); text != "" {
			return jsondoc.AppendString(nil, text)
		}
		return nil
	case n.Kind == KindJSON && (len(d.Members) == 0 || n.Functions == nil && isAnyText(d)):
		raw, err := marshalJSON(reflect.New(n.GoType).Elem())
		if err != nil || unmarshalJSON(reflect.New(n.GoType).Elem(), raw) != nil {
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

func (r sampleReader) Name(names *jsondoc.Value) (name string, known bool) {
	n := r.node
	if n.Kind != KindMap || n.Key.Kind != KindText || names.Get("format") != nil || names.Get("pattern") != nil {
		return "", false
	}
	return textExample(n.Key), true
}

// textCandidates contains texts that common types with UnmarshalText accept: words, numbers, times, addresses.
var textCandidates = []string{
	"text", "1", "true", "a", "2026-01-31", "2026-01-31T09:30:00Z", "1h30m", "192.0.2.1", "192.0.2.0/24", "192.0.2.1:80",
	"123e4567-e89b-12d3-a456-426614174000", "1.2.3", "en", "EUR", "#ffffff",
}

// textExample returns a text that a type can decode: the text of its zero value, if possible, or else the first of the
// candidates; "" if it accepts none.
func textExample(n *Node) string {
	candidates := textCandidates
	if text, err := marshalText(reflect.New(n.GoType).Elem()); err == nil && len(text) <= sample.MaxExample {
		candidates = append([]string{text}, candidates...)
	}
	for _, text := range candidates {
		if text != "" && unmarshalText(reflect.New(n.GoType).Elem(), text) == nil {
			return text
		}
	}
	return ""
}
