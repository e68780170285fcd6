package samples

import (
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/placeholder"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// Limits of variants. Of a larger schema, only the first parts are varied.
const (
	maxVariants    = 2000   // about the maximum number of variants
	maxSampleDepth = 6      // levels of a value that are varied; deeper parts are as in the example
	maxSampleSize  = 10_000 // characters of a text, or parts of a container, that are made for a bound
)

// A variant is a value that differs from a small value at one location.
type variant struct {
	JSON  []byte
	Path  string // the location, such as items[0].qty
	About string // a description of the difference, such as "just above maximum"
}

// variants returns valid and invalid values at the limits of the schema. It may return a value several times.
func variants(m *maker) []variant {
	v := &variantMaker{exampleMaker: m.smallest(), following: map[string]int{}}
	return v.vary(m.schema, m.reader, nil)
}

// variantMaker varies the examples of a schema.
type variantMaker struct {
	exampleMaker
	following map[string]int // how often each reference is being followed
	made      int            // number of variants
}

// variant returns a variant and counts it.
func (m *variantMaker) variant(raw []byte, at jsondoc.Path, about string) variant {
	m.made++
	return variant{raw, show.Path(at), about}
}

// vary returns variants of a value of the schema d, which r reads, at a location.
func (m *variantMaker) vary(d *jsondoc.Value, r reader, at jsondoc.Path) []variant {
	if d == nil || d.Kind != rawjson.Object || len(at) > maxSampleDepth || m.made > maxVariants {
		return nil
	}
	variants := m.referred(d, r, at)
	if len(variants) > 0 && m.draft7 {
		return variants // draft-07 ignores keywords beside a $ref
	}
	types := typesOf(d)
	variants = slices.Concat(variants, m.listed(d, at), m.otherTypes(types, at))
	if own := r.own(d); own != nil {
		variants = append(variants, m.variant(own, at, "an example of its Go type"))
	}
	for _, name := range types {
		switch name {
		case "object":
			variants = append(variants, m.objects(d, r, at)...)
		case "array":
			variants = append(variants, m.arrays(d, r, at)...)
		case "string":
			variants = append(variants, m.texts(d, at)...)
		case "integer", "number":
			variants = append(variants, m.numbers(d, name == "integer", at)...)
		case "boolean":
			variants = append(variants, m.variant([]byte("true"), at, "true"), m.variant([]byte("false"), at, "false"))
		case "null":
			variants = append(variants, m.variant([]byte("null"), at, "null"))
		}
	}
	for _, keyword := range []string{"oneOf", "anyOf", "allOf"} {
		for _, part := range d.Get(keyword).Elements() {
			variants = append(variants, m.vary(part, r.branch(part), at)...)
		}
	}
	return variants
}

// referred returns variants for the target of a $ref. It follows a recursive reference twice.
func (m *variantMaker) referred(d *jsondoc.Value, r reader, at jsondoc.Path) []variant {
	ref := d.Get("$ref").Text()
	target, local := jsondoc.LocalPointer(ref)
	if ref == "" || !local || m.following[ref] > 1 {
		return nil
	}
	m.following[ref]++
	defer func() { m.following[ref]-- }()
	return m.vary(m.schema.At(target), r, at)
}

// listed returns the values in the schema: examples, enum, default and const. If there are any, it adds one that is not
// listed.
func (m *variantMaker) listed(d *jsondoc.Value, at jsondoc.Path) (variants []variant) {
	for _, keyword := range []string{"examples", "enum"} {
		for _, value := range d.Get(keyword).Elements() {
			variants = append(variants, m.variant(value.AppendTo(nil), at, "one of "+keyword))
		}
	}
	for _, keyword := range []string{"default", "const"} {
		if value := d.Get(keyword); value != nil {
			variants = append(variants, m.variant(value.AppendTo(nil), at, keyword))
		}
	}
	for _, v := range variants {
		switch last := len(v.JSON) - 1; {
		case v.JSON[0] == '"':
			return append(variants, m.variant(slices.Concat(v.JSON[:last], []byte(`_"`)), at, "a string that is not listed"))
		case v.JSON[0] == '-' || v.JSON[0] >= '0' && v.JSON[0] <= '9':
			return append(variants, m.variant([]byte("987654321"), at, "a number that is not listed"))
		}
	}
	return variants
}

// typeSamples has a value of each type. The value is also one of the type kind.
var typeSamples = []struct{ name, kind, value, about string }{
	{"object", "object", `{}`, "an object"},
	{"array", "array", `[]`, "an array"},
	{"string", "string", `"text"`, "a text"},
	{"integer", "number", `7`, "an integer"},
	{"number", "number", `1.5`, "a fraction"},
	{"boolean", "boolean", `true`, "a boolean"},
	{"null", "null", `null`, "null"},
}

// otherTypes returns a value of each type that is not in types.
func (m *variantMaker) otherTypes(types []string, at jsondoc.Path) (variants []variant) {
	for _, t := range typeSamples {
		if !slices.Contains(types, t.name) && !slices.Contains(types, t.kind) {
			variants = append(variants, m.variant([]byte(t.value), at, t.about))
		}
	}
	return variants
}

// typesOf returns the types of values for d. Without the keyword type they are derived from the other keywords, nil if
// that is not possible.
func typesOf(d *jsondoc.Value) []string {
	if t := d.Get("type"); t != nil && t.Kind == rawjson.Array {
		return t.Texts()
	}
	if name := placeholder.TypeOf(d); name != "" {
		return []string{name}
	}
	return nil
}
