package sample

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// Limits of samples. A schema that is larger is tried in its first parts only.
const (
	MaxVariants    = 2000   // that are worth making
	maxSampleDepth = 6      // levels of a schema that are varied; what is below is as in the example
	maxSampleSize  = 10_000 // characters of a text and members of a container that are made for a bound
)

// A Variant is a value that differs from a small one in one place.
type Variant struct {
	JSON  []byte
	Path  string // the place, items[0].qty
	About string // what is special about it there: "just above maximum"
}

// Variants returns values at the edges of the schema, on either side. Some may be there twice.
func (m *Maker) Variants() []Variant {
	v := &variantMaker{exampleMaker: exampleMaker{Maker: m, shown: map[string]bool{}}, following: map[string]int{}}
	return v.vary(m.Schema, m.Reader, nil)
}

// variantMaker varies the examples of a schema.
type variantMaker struct {
	exampleMaker
	following map[string]int // references under way
	made      int
}

// variant returns one, and counts it.
func (m *variantMaker) variant(raw []byte, at jsondoc.Path, about string) Variant {
	m.made++
	return Variant{raw, show.Path(at), about}
}

// vary returns values for the schema d, which r reads, at the place.
func (m *variantMaker) vary(d *jsondoc.Value, r Reader, at jsondoc.Path) []Variant {
	if d == nil || d.Kind != jsontext.KindBeginObject || len(at) > maxSampleDepth || m.made > MaxVariants {
		return nil
	}
	variants := m.referred(d, r, at)
	if len(variants) > 0 && m.Draft7 {
		return variants // what stands beside a $ref is ignored there
	}
	types := typesOf(d)
	variants = slices.Concat(variants, m.listed(d, at), m.otherTypes(types, at))
	if own := r.Own(d); own != nil {
		variants = append(variants, m.variant(own, at, "what its type reads"))
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
			variants = append(variants, m.vary(part, r.Branch(part), at)...)
		}
	}
	return variants
}

// referred varies what a $ref leads to. Twice in a row is enough to see a recursive schema turn.
func (m *variantMaker) referred(d *jsondoc.Value, r Reader, at jsondoc.Path) []Variant {
	ref := d.Get("$ref").Text()
	target, local := jsondoc.LocalPointer(ref)
	if ref == "" || !local || m.following[ref] > 1 {
		return nil
	}
	m.following[ref]++
	defer func() { m.following[ref]-- }()
	return m.vary(m.Schema.At(target), r, at)
}

// listed returns the values that the schema gives, and one that is not among those that it allows.
func (m *variantMaker) listed(d *jsondoc.Value, at jsondoc.Path) (variants []Variant) {
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
			return append(variants, m.variant(slices.Concat(v.JSON[:last], []byte(`_"`)), at, "a text that is not listed"))
		case v.JSON[0] == '-' || v.JSON[0] >= '0' && v.JSON[0] <= '9':
			return append(variants, m.variant([]byte("987654321"), at, "a number that is not listed"))
		}
	}
	return variants
}

// typeSamples has a value of each type, those of one kind side by side.
var typeSamples = []struct{ name, kind, value, about string }{
	{"object", "object", `{}`, "an object"},
	{"array", "array", `[]`, "an array"},
	{"string", "string", `"text"`, "a text"},
	{"integer", "number", `7`, "an integer"},
	{"number", "number", `1.5`, "a fraction"},
	{"boolean", "boolean", `true`, "a boolean"},
	{"null", "null", `null`, "null"},
}

// otherTypes returns a value of each type that is not among these.
func (m *variantMaker) otherTypes(types []string, at jsondoc.Path) (variants []Variant) {
	for _, t := range typeSamples {
		if !slices.Contains(types, t.name) && !slices.Contains(types, t.kind) {
			variants = append(variants, m.variant([]byte(t.value), at, t.about))
		}
	}
	return variants
}

// typesOf returns the types that d asks for, as well as its keywords tell; none if it asks for none.
func typesOf(d *jsondoc.Value) []string {
	if t := d.Get("type"); t != nil && t.Kind == jsontext.KindBeginArray {
		return t.Texts()
	}
	if name := exampleType(d); name != "" {
		return []string{name}
	}
	return nil
}
