package reflectschema

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
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

// example returns JSON that fits the schema, to be shown to someone who got it
// wrong: the required members, and those the violations speak of. It returns
// nil when it finds none; the result always fits.
func (s *Schema) example(about []Violation, branches []string) []byte {
	meant := map[*document]bool{}
	for _, pointer := range branches {
		meant[s.doc.at(pointer)] = true
	}
	for _, m := range []exampleMaker{
		{root: s.doc, shown: mentioned(about), meant: meant, telling: true},
		{root: s.doc, meant: meant, telling: true},
		{root: s.doc},
	} {
		value := m.value(s.doc, "", 0)
		if value == nil || string(value) == anyExample {
			continue
		}
		if v, err := parseStrict(value); err == nil && s.fits(v) {
			return value
		}
	}
	return nil
}

// fits reports whether v fits, without words.
func (s *Schema) fits(v strictValue) bool {
	auth, err := s.compiled()
	return err == nil && auth.check(v) == nil
}

// mentioned returns the places the violations are about, and those above them,
// as pointers with every index made 0: an example has one item.
func mentioned(about []Violation) map[string]bool {
	places := map[string]bool{}
	for _, v := range about {
		place := ""
		for token := range strings.SplitSeq(strings.TrimPrefix(v.Pointer, "/"), "/") {
			if v.Suggest != "" && v.Keyword == "additionalProperties" {
				places[place+"/"+pointerEscaper.Replace(v.Suggest)] = true
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
	root    *document
	shown   map[string]bool    // optional members to include, by pointer
	meant   map[*document]bool // alternatives to prefer
	telling bool               // include some where none is required: {} tells nothing
	refs    []string           // being followed, so that recursion ends
}

// value returns JSON for the schema d at the place named by pointer, or nil.
func (m *exampleMaker) value(d *document, pointer string, depth int) []byte {
	switch {
	case d == nil || d.kind == jsontext.KindFalse || depth > maxExampleDepth:
		return nil
	case d.kind != jsontext.KindBeginObject:
		return []byte(anyExample)
	}
	if given := givenValue(d); given != nil {
		return given
	}
	if ref := d.get("$ref").text(); ref != "" {
		return m.reference(ref, pointer, depth)
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		if alternatives := d.get(keyword); alternatives != nil && d.get("properties") == nil {
			return m.first(alternatives.items, pointer, depth)
		}
	}
	switch exampleType(d) {
	case "object":
		return m.object(d, pointer, depth)
	case "array":
		return m.array(d, pointer, depth)
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
	if all := d.get("allOf"); all != nil {
		return m.first(all.items, pointer, depth)
	}
	return []byte(anyExample)
}

// givenValue returns a value that the author of the schema gave.
func givenValue(d *document) []byte {
	for _, keyword := range []string{"const", "examples", "default", "enum"} {
		given := d.get(keyword)
		if given != nil && (keyword == "examples" || keyword == "enum") {
			if len(given.items) == 0 {
				continue
			}
			given = given.items[0]
		}
		if given != nil {
			return given.appendTo(nil)
		}
	}
	return nil
}

// reference follows a $ref inside the document, once at a time.
func (m *exampleMaker) reference(ref, pointer string, depth int) []byte {
	target, ok := localPointer(ref)
	if !ok || slices.Contains(m.refs, ref) {
		return nil
	}
	m.refs = append(m.refs, ref)
	defer func() { m.refs = m.refs[:len(m.refs)-1] }()
	return m.value(m.root.at(target), pointer, depth+1)
}

// first returns the example of the first alternative that has one, those that
// are meant before the others; null only when there is no other.
func (m *exampleMaker) first(alternatives []*document, pointer string, depth int) []byte {
	var last []byte
	alternatives = slices.Clone(alternatives)
	slices.SortStableFunc(alternatives, func(a, b *document) int {
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
		if v := m.value(alternative, pointer, depth+1); v != nil && string(v) != "null" {
			return v
		} else if v != nil {
			last = v
		}
	}
	return last
}

// exampleType returns the type that d asks for, from its keywords if it names
// none, and "" when they do not tell.
func exampleType(d *document) string {
	t := d.get("type")
	if t != nil && t.kind == jsontext.KindBeginArray {
		for _, item := range t.items {
			if name := item.text(); name != "null" {
				return name
			}
		}
		return "null"
	}
	if t != nil {
		return t.text()
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
		if d.get(hint.keyword) != nil {
			return hint.name
		}
	}
	return ""
}

// object makes the required members in the order of the properties, with the
// ones to be shown, and makes up names if a number of them is asked for. It
// returns nil when a required member cannot be made.
func (m *exampleMaker) object(d *document, pointer string, depth int) []byte {
	obj := &document{kind: jsontext.KindBeginObject}
	add := func(name string, schema *document) bool {
		if obj.get(name) != nil {
			return true
		}
		raw := m.value(schema, pointer+"/"+pointerEscaper.Replace(name), depth+1)
		if raw != nil {
			obj.members = append(obj.members, member{name, &document{raw: raw}})
		}
		return raw != nil
	}
	parts := []*document{d}
	if all := d.get("allOf"); all != nil {
		parts = append(parts, all.items...)
	}
	for _, part := range parts {
		required, properties := part.get("required").texts(), part.get("properties").all()
		for _, p := range properties {
			must := slices.Contains(required, p.name)
			wanted := must || m.shown[pointer+"/"+pointerEscaper.Replace(p.name)]
			if wanted && !add(p.name, p.value) && must {
				return nil
			}
		}
		for _, name := range required {
			if !add(name, restOf(d, name)) {
				return nil
			}
		}
	}
	if m.telling && pointer == "" && len(obj.members) == 0 {
		for _, p := range d.get("properties").all()[:min(maxTelling, len(d.get("properties").all()))] {
			add(p.name, p.value)
		}
	}
	for i := 1; len(obj.members) < min(d.get("minProperties").count(), maxExampleItems); i++ {
		if !add("key"+strconv.Itoa(i), restOf(d, "")) {
			return nil
		}
	}
	return obj.appendTo(nil)
}

// restOf returns the schema of a member that properties does not name.
func restOf(d *document, name string) *document {
	if known := d.get("properties").get(name); known != nil {
		return known
	}
	if rest := d.get("additionalProperties"); rest != nil {
		return rest
	}
	return &document{kind: jsontext.KindBeginObject}
}

// array makes as many items as are asked for, and one if none are.
func (m *exampleMaker) array(d *document, pointer string, depth int) []byte {
	heads, rest := d.get("prefixItems"), d.get("items")
	if rest != nil && rest.kind == jsontext.KindBeginArray { // draft-07
		heads, rest = rest, d.get("additionalItems")
	}
	n := max(1, d.get("minItems").count(), d.get("minContains").count())
	if heads != nil {
		n = max(n, len(heads.items))
	}
	if most := d.get("maxItems"); most != nil {
		n = min(n, most.count())
	}
	if n > maxExampleItems {
		return nil
	}
	arr := &document{kind: jsontext.KindBeginArray}
	for i := range n {
		schema := rest
		switch contains := d.get("contains"); {
		case heads != nil && i < len(heads.items):
			schema = heads.items[i]
		case rest == nil && contains != nil:
			schema = contains
		case rest == nil:
			schema = &document{kind: jsontext.KindBeginObject}
		}
		v := m.value(schema, pointer+"/0", depth+1)
		if v == nil {
			break
		}
		if i > 0 && d.get("uniqueItems") != nil {
			v = varied(schema, v, i)
		}
		arr.items = append(arr.items, &document{raw: v})
	}
	return arr.appendTo(nil)
}

// varied returns a value unlike the first n for the same schema, as well as it
// can be told from the first one.
func varied(d *document, first []byte, n int) []byte {
	if values := d.get("enum"); values != nil && n < len(values.items) {
		return values.items[n].raw
	}
	switch exampleType(d) {
	case "integer", "number":
		unit, ok := ratOf(d.get("multipleOf"))
		if !ok {
			unit = big.NewRat(1, 1)
		}
		if r, ok := new(big.Rat).SetString(string(first)); ok {
			return []byte(showRat(r.Add(r, unit.Mul(unit, big.NewRat(int64(n), 1)))))
		}
	case "string":
		if len(first) > 2 {
			return slices.Concat(first[:len(first)-1], strconv.AppendInt(nil, int64(n+1), 10), []byte(`"`))
		}
	}
	return first
}
