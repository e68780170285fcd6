package reflectschema

import (
	"encoding/json"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// Limits of an example. They end recursion and keep it readable.
const (
	maxExampleDepth = 8
	maxExampleItems = 20
	maxTelling      = 3 // optional members shown where none is required
)

// anyExample stands for a value that may be anything. As a whole example it
// would tell nothing.
const anyExample = `"any"`

// Example returns a value that fits the schema, as compact JSON: the required members, or a few of the
// others if none are, with what the author gave as examples and defaults. The schema of a Go type
// knows what the type reads besides. Nil means that none was found, which is not to say that
// there is none.
func (s *Schema) Example() json.RawMessage {
	if s.owner != nil {
		return s.owner.example(nil, nil)
	}
	return s.example(nil, nil)
}

// example returns JSON that fits the schema, to be shown to someone who got it
// wrong: the required members, and those the violations speak of. It returns
// nil when it finds none; the result always fits.
func (s *Schema) example(about []Violation, branches []string) []byte {
	return makeExample(s.doc(), nil, about, branches, func(value []byte) bool {
		v, err := parseStrict(value)
		return err == nil && s.checkValue(v, nil) == nil
	})
}

// example is that of the schema, of a value that the Go type takes as well.
func (t *Type) example(about []Violation, branches []string) []byte {
	return makeExample(t.Schema().doc(), t.root(), about, branches, func(value []byte) bool {
		return t.decodeSlow(value, reflect.New(t.goType).Elem(), nil) == nil
	})
}

// makeExample returns an example of the schema d, for the type of n if there is
// one, that has the members spoken of if it can, in the branches that were meant.
func makeExample(d *jsondoc.Value, n *node, about []Violation, branches []string, fits func([]byte) bool) []byte {
	meant := map[*jsondoc.Value]bool{}
	for _, pointer := range branches {
		meant[d.At(pointer)] = true
	}
	for _, m := range []exampleMaker{
		{root: d, shown: mentioned(about), meant: meant, telling: true},
		{root: d, shown: map[string]bool{}, meant: meant, telling: true},
		{root: d, shown: map[string]bool{}},
	} {
		value := m.value(d, n, "", 0)
		if value != nil && string(value) != anyExample && fits(value) {
			return value
		}
	}
	return nil
}

// mentioned returns the places the violations are about, and those above them,
// as pointers with every index made 0: an example has one item.
func mentioned(about []Violation) map[string]bool {
	places := map[string]bool{}
	for _, v := range about {
		place := ""
		for token := range strings.SplitSeq(strings.TrimPrefix(v.Pointer, "/"), "/") {
			if v.Suggest != "" && v.Keyword == "additionalProperties" {
				places[place+"/"+jsondoc.EscapeToken(v.Suggest)] = true
			}
			if _, err := strconv.Atoi(token); err == nil {
				token = "0"
			}
			place += "/" + token
			places[place] = true
		}
	}
	return places
}

// exampleMaker makes the smallest telling value that a schema allows. It knows
// the keywords people use; what comes of the others is found out by checking.
type exampleMaker struct {
	root    *jsondoc.Value
	shown   map[string]bool         // optional members to include, by pointer
	meant   map[*jsondoc.Value]bool // alternatives to prefer
	telling bool                    // include some where none is required: {} tells nothing
	refs    []string                // being followed, so that recursion ends
}

// value returns JSON for the schema d at the place named by pointer, or nil. n is
// the node of the type that reads it, nil if that is not known.
func (m *exampleMaker) value(d *jsondoc.Value, n *node, pointer string, depth int) []byte {
	if n != nil {
		n = n.bare()
	}
	switch {
	case d == nil || d.Kind == jsontext.KindFalse || depth > maxExampleDepth:
		return nil
	case d.Kind != jsontext.KindBeginObject:
		return []byte(anyExample)
	}
	if given := givenValue(d); given != nil {
		return given
	}
	if own := ownExample(d, n); own != nil {
		return own
	}
	if ref := d.Get("$ref").Text(); ref != "" {
		return m.reference(ref, n, pointer, depth)
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		if alternatives := d.Get(keyword); alternatives != nil && d.Get("properties") == nil {
			return m.first(alternatives.Items, n, pointer, depth)
		}
	}
	switch exampleType(d) {
	case "object":
		return m.object(d, n, pointer, depth)
	case "array":
		return m.array(d, n, pointer, depth)
	case "string":
		return exampleString(d)
	case "integer":
		return exampleNumber(d, big.NewRat(1, 1))
	case "number":
		return exampleNumber(d, nil)
	case "boolean":
		return []byte("true")
	case "null":
		return []byte("null")
	}
	if all := d.Get("allOf"); all != nil {
		return m.first(all.Items, n, pointer, depth)
	}
	return []byte(anyExample)
}

// givenValue returns a value that the author of the schema gave.
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

// reference follows a $ref inside the document, once at a time.
func (m *exampleMaker) reference(ref string, n *node, pointer string, depth int) []byte {
	target, ok := jsondoc.LocalPointer(ref)
	if !ok || slices.Contains(m.refs, ref) {
		return nil
	}
	m.refs = append(m.refs, ref)
	defer func() { m.refs = m.refs[:len(m.refs)-1] }()
	return m.value(m.root.At(target), n, pointer, depth+1)
}

// first returns the example of the first alternative that has one, those that
// are meant before the others; null only when there is no other.
func (m *exampleMaker) first(alternatives []*jsondoc.Value, n *node, pointer string, depth int) []byte {
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
		if v := m.value(alternative, n.branch(alternative), pointer, depth+1); v != nil && string(v) != "null" {
			return v
		} else if v != nil {
			last = v
		}
	}
	return last
}

// exampleType returns the type that d asks for, from its keywords if it names
// none, and "" when they do not tell.
func exampleType(d *jsondoc.Value) string {
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
