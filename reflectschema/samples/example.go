package samples

import (
	"encoding/json"
	"math/big"
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/internal/placeholder"
)

// Limits of an example. They end recursion and keep the example readable.
const (
	maxExampleDepth = 8
	maxExampleItems = 20
	maxTelling      = 3 // optional members of an object without required members
)

// anyExample is the example of a schema that allows all values. It is not used
// as a complete example.
const anyExample = `"any"`

// Example returns a value that fits the schema, as compact JSON: with the required members, or up to three properties
// if none is required, and with the examples, defaults and listed values of the schema. For the schema of a Go type,
// the type can also decode the value. Nil means that no value was found; there may still be one.
func Example(s *reflectschema.Schema) json.RawMessage {
	m := makerOf(s)
	for _, attempt := range []exampleMaker{{maker: m, shown: map[string]bool{}, telling: true}, m.smallest()} {
		if value := attempt.value(m.schema, m.reader, "", 0); value != nil && string(value) != anyExample && schemas.Fits(s, value) {
			return value
		}
	}
	return nil
}

// exampleMaker makes a small but informative value for a schema. It supports the
// common keywords; the caller checks whether the value is valid by the others.
type exampleMaker struct {
	*maker
	shown   map[string]bool // optional members to include, by pointer
	telling bool            // include optional members if none is required, because {} is not informative
	refs    []string        // references that are being followed, to end recursion
}

// smallest returns an exampleMaker whose values are as small as possible.
func (m *maker) smallest() exampleMaker { return exampleMaker{maker: m, shown: map[string]bool{}} }

// value returns JSON for the schema d at pointer, which r reads. It returns nil if
// it finds no value.
func (m *exampleMaker) value(d *jsondoc.Value, r reader, pointer string, depth int) []byte {
	switch {
	case d == nil || d.IsFalse() || depth > maxExampleDepth:
		return nil
	case d.Kind != rawjson.Object:
		return []byte(anyExample)
	}
	if listed := placeholder.Listed(d); listed != nil {
		return listed.AppendTo(nil)
	}
	if own := r.own(d); own != nil {
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
	switch placeholder.TypeOf(d) {
	case "object":
		return m.object(d, r, pointer, depth)
	case "array":
		return m.array(d, r, pointer, depth)
	case "string":
		return stringFor(d)
	case "integer":
		return numberFor(d, big.NewRat(1, 1))
	case "number":
		return numberFor(d, nil)
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

// reference returns a value for the target of a $ref inside the document. It
// returns nil if the reference is being followed already.
func (m *exampleMaker) reference(ref string, r reader, pointer string, depth int) []byte {
	target, ok := jsondoc.LocalPointer(ref)
	if !ok || slices.Contains(m.refs, ref) {
		return nil
	}
	m.refs = append(m.refs, ref)
	defer func() { m.refs = m.refs[:len(m.refs)-1] }()
	return m.value(m.schema.At(target), r, pointer, depth+1)
}

// first returns the example of the first alternative that has one. It returns null only if all other examples are
// missing.
func (m *exampleMaker) first(alternatives []*jsondoc.Value, r reader, pointer string, depth int) []byte {
	var last []byte
	for _, alternative := range alternatives {
		if v := m.value(alternative, r.branch(alternative), pointer, depth+1); v != nil && string(v) != "null" {
			return v
		} else if v != nil {
			last = v
		}
	}
	return last
}
