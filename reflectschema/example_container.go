package reflectschema

import (
	"math/big"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// object makes the required members in the order of the properties, with the ones to be
// shown, and makes up names if a number of them is asked for, or if the names were the
// trouble. It returns nil when a required member cannot be made.
func (m *exampleMaker) object(d *document, n *node, pointer string, depth int) []byte {
	o := objectExample{exampleMaker: m, node: n, pointer: pointer, depth: depth}
	o.made.kind = jsontext.KindBeginObject
	parts := []*document{d}
	if all := d.get("allOf"); all != nil {
		parts = append(parts, all.items...)
	}
	for _, part := range parts {
		if !o.part(part, d) {
			return nil
		}
	}
	if properties := d.get("properties").all(); m.telling && pointer == "" && len(o.made.members) == 0 {
		for _, p := range properties[:min(maxTelling, len(properties))] {
			m.shown["/"+pointerEscaper.Replace(p.name)] = true
			o.add(p.name, p.value)
		}
	}
	if !o.fill(d) {
		return nil
	}
	return o.made.appendTo(nil)
}

// objectExample is an object in the making.
type objectExample struct {
	*exampleMaker
	node    *node
	pointer string
	depth   int
	made    document
}

// at returns the place of a member.
func (o *objectExample) at(name string) string {
	return o.pointer + "/" + pointerEscaper.Replace(name)
}

// add makes a member unless it is there, and reports whether it is.
func (o *objectExample) add(name string, schema *document) bool {
	if o.made.get(name) != nil {
		return true
	}
	raw := o.value(schema, o.node.named(name), o.at(name), o.depth+1)
	if raw != nil {
		o.made.members = append(o.made.members, member{name, &document{raw: raw}})
	}
	return raw != nil
}

// part adds what one part of the schema d requires, and what of it is to be shown.
func (o *objectExample) part(part, d *document) bool {
	required := part.get("required").texts()
	for _, p := range part.get("properties").all() {
		must := slices.Contains(required, p.name)
		if (must || o.shown[o.at(p.name)]) && !o.add(p.name, p.value) && must {
			return false
		}
	}
	for _, name := range required {
		if !o.add(name, restOf(d, name)) {
			return false
		}
	}
	return true
}

// fill adds members with names made up until there are enough.
func (o *objectExample) fill(d *document) bool {
	least := min(d.get("minProperties").count(), maxExampleItems)
	if isMap(d) && o.telling && (o.pointer == "" || o.shown[o.pointer]) {
		least = max(least, 1)
	}
	for i := 1; len(o.made.members) < least; i++ {
		name, ok := madeUpName(d, o.node, i)
		if !ok || i > maxExampleItems || !o.add(name, restOf(d, "")) {
			return false
		}
	}
	return true
}

// isMap reports whether the members of an object have one schema and no names.
func isMap(d *document) bool {
	rest := d.get("additionalProperties")
	return len(d.get("properties").all()) == 0 && rest != nil && rest.kind == jsontext.KindBeginObject
}

// madeUpName returns the i-th name for a member of an object that names none, and
// whether there is one.
func madeUpName(d *document, n *node, i int) (string, bool) {
	names := d.get("propertyNames")
	if listed := (conjunction{names}).values(); listed != nil {
		return listed[min(i, len(listed))-1].text(), i <= len(listed)
	}
	if n != nil && n.kind == kindMap && n.key.kind == kindText && names.get("pattern") == nil && names.get("format") == nil {
		text := textExample(n.key)
		return text, text != "" && i == 1 // one is all that can be found
	}
	if names == nil {
		return "key" + strconv.Itoa(i), true
	}
	schema := newSchema(names.appendTo(nil))
	for _, name := range []string{strconv.Itoa(i), "key" + strconv.Itoa(i), "key"} {
		if schema.Check(quote(name)) == nil {
			return name, true
		}
	}
	first := exampleString(names)
	if i > 1 && first != nil {
		first = varied(parseDocument([]byte(`{"type":"string"}`)), first, i-1)
	}
	return parseDocument(first).text(), first != nil && schema.Check(first) == nil
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
func (m *exampleMaker) array(d *document, n *node, pointer string, depth int) []byte {
	heads, _ := itemSchemas(d)
	length := max(1, d.get("minItems").count(), d.get("minContains").count())
	if heads != nil {
		length = max(length, len(heads.items))
	}
	if most := d.get("maxItems"); most != nil {
		length = min(length, most.count())
	}
	if length > maxExampleItems {
		return nil
	}
	return m.items(d, n, pointer, depth, length)
}

// items makes an array of so many items, or of fewer if there can be no more.
func (m *exampleMaker) items(d *document, n *node, pointer string, depth, length int) []byte {
	heads, rest := itemSchemas(d)
	arr := &document{kind: jsontext.KindBeginArray}
	for i := range length {
		schema := rest
		switch contains := d.get("contains"); {
		case heads != nil && i < len(heads.items):
			schema = heads.items[i]
		case rest == nil && contains != nil:
			schema = contains
		case rest == nil:
			schema = &document{kind: jsontext.KindBeginObject}
		}
		v := m.value(schema, n.inside(), pointer+"/0", depth+1)
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

// itemSchemas returns the schemas of the first items of an array, and the one of the rest; nil
// where there is none.
func itemSchemas(d *document) (heads, rest *document) {
	heads, rest = d.get("prefixItems"), d.get("items")
	if rest != nil && rest.kind == jsontext.KindBeginArray { // draft-07
		return rest, d.get("additionalItems")
	}
	return heads, rest
}

// varied returns a value unlike the first n for the same schema, as well as it
// can be told from the first one.
func varied(d *document, first []byte, n int) []byte {
	if values := d.get("enum"); values != nil && n < len(values.items) {
		return values.items[n].appendTo(nil)
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
