package sample

import (
	"math/big"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// Limits of an example. They end recursion and keep the example readable.
const (
	MaxExample      = 600 // bytes; strings that must be longer are not made
	maxExampleDepth = 8
	maxExampleItems = 20
	maxTelling      = 3 // optional members of an object without required members
)

// anyExample is the example of a schema that allows all values. It is not used
// as a complete example.
const anyExample = `"any"`

// Wanted are the optional parts that an example should have, if possible.
type Wanted struct {
	Members  map[string]bool // optional members, by JSON pointer with 0 for each index
	Branches []string        // alternatives to prefer, by JSON pointer into the schema
}

// Example returns a value for the schema, with the required members and the wanted ones, for which fits returns true.
// It returns nil if it finds none.
func (m *Maker) Example(wanted Wanted, fits func(value []byte) bool) []byte {
	shown := wanted.Members
	if shown == nil {
		shown = map[string]bool{}
	}
	meant := map[*jsondoc.Value]bool{}
	for _, pointer := range wanted.Branches {
		meant[m.Schema.At(pointer)] = true
	}
	for _, attempt := range []ExampleMaker{
		{Maker: m, shown: shown, meant: meant, telling: true},
		{Maker: m, shown: map[string]bool{}, meant: meant, telling: true},
		m.Smallest(),
	} {
		value := attempt.Value(m.Schema, m.Reader, "", 0)
		if value != nil && string(value) != anyExample && fits(value) {
			return value
		}
	}
	return nil
}

// ExampleMaker makes a small but informative value for a schema. It supports the
// common keywords; the caller checks whether the value is valid by the others.
type ExampleMaker struct {
	*Maker
	shown   map[string]bool         // optional members to include, by pointer
	meant   map[*jsondoc.Value]bool // alternatives to prefer
	telling bool                    // include optional members if none is required, because {} is not informative
	refs    []string                // references that are being followed, to end recursion
}

// Smallest returns an ExampleMaker whose values are as small as possible.
func (m *Maker) Smallest() ExampleMaker { return ExampleMaker{Maker: m, shown: map[string]bool{}} }

// Value returns JSON for the schema d at pointer, which r reads. It returns nil if
// it finds no value.
func (m *ExampleMaker) Value(d *jsondoc.Value, r Reader, pointer string, depth int) []byte {
	switch {
	case d == nil || d.Kind == jsontext.KindFalse || depth > maxExampleDepth:
		return nil
	case d.Kind != jsontext.KindBeginObject:
		return []byte(anyExample)
	}
	if given := givenValue(d); given != nil {
		return given
	}
	if own := r.Own(d); own != nil {
		return own
	}
	if ref := d.Get("$ref").Text(); ref != "" {
		return m.reference(ref, r, pointer, depth)
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		if alternatives := d.Get(keyword); alternatives != nil && d.Get("properties") == nil {
			return m.first(alternatives.Items, r, pointer, depth)
		}
	}
	switch TypeOf(d) {
	case "object":
		return m.Object(d, r, pointer, depth)
	case "array":
		return m.Array(d, r, pointer, depth)
	case "string":
		return StringFor(d)
	case "integer":
		return NumberFor(d, big.NewRat(1, 1))
	case "number":
		return NumberFor(d, nil)
	case "boolean":
		return []byte("true")
	case "null":
		return []byte("null")
	}
	if all := d.Get("allOf"); all != nil {
		return m.first(all.Items, r, pointer, depth)
	}
	return []byte(anyExample)
}

// givenValue returns a value from the schema itself, nil if there is none.
func givenValue(d *jsondoc.Value) []byte {
	for _, keyword := range []string{"const", "examples", "default", "enum"} {
		given := d.Get(keyword)
		if given != nil && (keyword == "examples" || keyword == "enum") {
			if len(given.Items) == 0 {
				continue
			}
			given = given.Items[0]
		}
		if given != nil {
			return given.AppendTo(nil)
		}
	}
	return nil
}

// reference returns a value for the target of a $ref inside the document. It
// returns nil if the reference is being followed already.
func (m *ExampleMaker) reference(ref string, r Reader, pointer string, depth int) []byte {
	target, ok := jsondoc.LocalPointer(ref)
	if !ok || slices.Contains(m.refs, ref) {
		return nil
	}
	m.refs = append(m.refs, ref)
	defer func() { m.refs = m.refs[:len(m.refs)-1] }()
	return m.Value(m.Schema.At(target), r, pointer, depth+1)
}

// first returns the example of the first alternative that has one, preferred
// alternatives before the others. It returns null only if all other examples
// are missing.
func (m *ExampleMaker) first(alternatives []*jsondoc.Value, r Reader, pointer string, depth int) []byte {
	var last []byte
	alternatives = slices.Clone(alternatives)
	slices.SortStableFunc(alternatives, func(a, b *jsondoc.Value) int {
		switch {
		case m.meant[a] == m.meant[b]:
			return 0
		case m.meant[a]:
			return -1
		default:
			return 1
		}
	})
	for _, alternative := range alternatives {
		if v := m.Value(alternative, r.Branch(alternative), pointer, depth+1); v != nil && string(v) != "null" {
			return v
		} else if v != nil {
			last = v
		}
	}
	return last
}

// TypeOf returns the type of values for d. Without the keyword type it is
// derived from the other keywords, "" if that is not possible.
func TypeOf(d *jsondoc.Value) string {
	t := d.Get("type")
	if t != nil && t.Kind == jsontext.KindBeginArray {
		for _, item := range t.Items {
			if name := item.Text(); name != "null" {
				return name
			}
		}
		return "null"
	}
	if t != nil {
		return t.Text()
	}
	for _, hint := range []struct{ keyword, name string }{
		{"properties", "object"},
		{"required", "object"},
		{"additionalProperties", "object"},
		{"items", "array"},
		{"prefixItems", "array"},
		{"minLength", "string"},
		{"pattern", "string"},
		{"format", "string"},
		{"minimum", "number"},
		{"maximum", "number"},
	} {
		if d.Get(hint.keyword) != nil {
			return hint.name
		}
	}
	return ""
}
