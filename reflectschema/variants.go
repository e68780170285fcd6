package reflectschema

import (
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// Limits of samples. A schema that is larger is tried in its first parts only.
const (
	maxSamples     = 2000
	maxSampleDepth = 6      // levels of a schema that are varied; what is below is as in the example
	maxSampleSize  = 10_000 // characters of a text and members of a container that are made for a bound
)

// A Sample is one value made from a schema, to try out what reads values of it.
type Sample struct {
	// JSON is the value, compact.
	JSON json.RawMessage
	// Path is the place that the sample is about, items[0].qty; empty for the whole value.
	Path string
	// About says what is special about it: "just above maximum", "is left out".
	About string
	// Fits says whether it fits the schema, as the authority has it.
	Fits bool
}

// Samples returns values that lie at the edges of the schema, on either side: the bounds and
// what is just beyond them, each value of an enum and one that is none, patterns and formats met and missed,
// optional members left out and given, required ones left out, members that nobody knows, null
// and every other type in each place, text beyond ASCII. Each differs from one that is as small
// as may be in one place, which it names; references are followed, recursive ones twice. The first
// sample is the [Schema.Example], if there is one.
//
// The samples are the same each time, all different, and at most 2000. There may be none that
// fits: what the keywords of the schema ask for together is not worked out.
func (s *Schema) Samples() []Sample {
	var samples []Sample
	seen := map[string]bool{}
	add := func(v variant) {
		if !seen[string(v.raw)] && len(samples) < maxSamples {
			seen[string(v.raw)] = true
			samples = append(samples, Sample{JSON: v.raw, Path: v.path, About: v.about, Fits: s.judge(v.raw, nil) == nil})
		}
	}
	if example := s.Example(); example != nil {
		add(variant{raw: example, about: "the example"})
	}
	m := &sampleMaker{exampleMaker: exampleMaker{root: s.doc(), shown: map[string]bool{}}, draft7: s.isDraft7(), following: map[string]int{}}
	var n *node
	if s.owner != nil {
		n = s.owner.root()
	}
	for _, v := range m.vary(s.doc(), n, nil) {
		add(v)
	}
	return samples
}

// A variant is a value for a part of a schema.
type variant struct {
	raw         []byte
	path, about string
}

// sampleMaker varies the examples of a schema.
type sampleMaker struct {
	exampleMaker
	draft7    bool
	following map[string]int // references under way
	made      int
}

// variant returns one, and counts it.
func (m *sampleMaker) variant(raw []byte, at jsondoc.Path, about string) variant {
	m.made++
	return variant{raw, show.Path(at), about}
}

// vary returns values for the schema d, read by the node n if that is known, at the place.
func (m *sampleMaker) vary(d *jsondoc.Value, n *node, at jsondoc.Path) []variant {
	if n != nil {
		n = n.bare()
	}
	if d == nil || d.Kind != jsontext.KindBeginObject || len(at) > maxSampleDepth || m.made > maxSamples {
		return nil
	}
	variants := m.referred(d, n, at)
	if len(variants) > 0 && m.draft7 {
		return variants // what stands beside a $ref is ignored there
	}
	types := sampleTypes(d)
	variants = slices.Concat(variants, m.listed(d, at), m.otherTypes(types, at))
	if own := ownExample(d, n); own != nil {
		variants = append(variants, m.variant(own, at, "what its type reads"))
	}
	for _, name := range types {
		switch name {
		case "object":
			variants = append(variants, m.objects(d, n, at)...)
		case "array":
			variants = append(variants, m.arrays(d, n, at)...)
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
			variants = append(variants, m.vary(part, n.branch(part), at)...)
		}
	}
	return variants
}

// referred varies what a $ref leads to. Twice in a row is enough to see a recursive schema turn.
func (m *sampleMaker) referred(d *jsondoc.Value, n *node, at jsondoc.Path) []variant {
	ref := d.Get("$ref").Text()
	target, local := jsondoc.LocalPointer(ref)
	if ref == "" || !local || m.following[ref] > 1 {
		return nil
	}
	m.following[ref]++
	defer func() { m.following[ref]-- }()
	return m.vary(m.root.At(target), n, at)
}

// listed returns the values that the schema gives, and one that is not among those that it allows.
func (m *sampleMaker) listed(d *jsondoc.Value, at jsondoc.Path) (variants []variant) {
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
		switch last := len(v.raw) - 1; {
		case v.raw[0] == '"':
			return append(variants, m.variant(slices.Concat(v.raw[:last], []byte(`_"`)), at, "a text that is not listed"))
		case v.raw[0] == '-' || v.raw[0] >= '0' && v.raw[0] <= '9':
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
func (m *sampleMaker) otherTypes(types []string, at jsondoc.Path) (variants []variant) {
	for _, t := range typeSamples {
		if !slices.Contains(types, t.name) && !slices.Contains(types, t.kind) {
			variants = append(variants, m.variant([]byte(t.value), at, t.about))
		}
	}
	return variants
}

// sampleTypes returns the types that d asks for, as well as its keywords tell; none if it asks for none.
func sampleTypes(d *jsondoc.Value) []string {
	if t := d.Get("type"); t != nil && t.Kind == jsontext.KindBeginArray {
		return t.Texts()
	}
	if name := exampleType(d); name != "" {
		return []string{name}
	}
	return nil
}
