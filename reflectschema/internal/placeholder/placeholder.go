package placeholder

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Limits of an example. They end recursion and keep the example readable.
const (
	MaxBytes = 600 // length of an example that is shown

	maxDepth    = 8
	maxValues   = 200 // in the whole example
	maxItems    = 20  // of an array or a map
	maxOptional = 3   // members of an object without required members
)

// anyValue is the placeholder of a schema that allows all values. It is not used as a complete example.
var anyValue = jsondoc.String("any")

// Wanted are the optional parts that an example should have, if possible.
type Wanted struct {
	Members  map[string]bool // optional members, by JSON pointer with 0 for each index
	Branches []string        // alternatives to prefer, by JSON pointer into the schema
}

// Example returns a value for the document of a schema, with the required members and the wanted ones, or with a few
// optional ones if there are no others. It returns nil if it finds none. The value may violate the schema.
func Example(doc *jsondoc.Value, wanted Wanted) []byte {
	m := maker{doc: doc, members: map[string]bool{}, left: maxValues}
	maps.Copy(m.members, wanted.Members)
	for _, pointer := range wanted.Branches {
		m.branches = append(m.branches, doc.At(pointer))
	}
	value := m.value(doc, "", 0)
	if value == nil || value == anyValue {
		return nil
	}
	return value.AppendTo(nil)
}

// A maker makes the parts of an example.
type maker struct {
	doc      *jsondoc.Value
	members  map[string]bool // optional members to include, by pointer
	branches []*jsondoc.Value
	left     int // number of values that may be made
}

// value returns a value for the schema d at pointer, nil if there is none.
func (m *maker) value(d *jsondoc.Value, pointer string, depth int) *jsondoc.Value {
	m.left--
	switch {
	case d == nil || d.IsFalse() || depth > maxDepth || m.left < 0:
		return nil
	case !d.IsObject():
		return anyValue
	}
	if listed := Listed(d); listed != nil {
		return listed
	}
	if ref := d.Get("$ref").Text(); ref != "" {
		target, ok := jsondoc.LocalPointer(ref)
		if !ok {
			return nil
		}
		return m.value(m.doc.At(target), pointer, depth)
	}
	if d.Get("properties") == nil {
		if alternatives := cmp.Or(d.Get("oneOf"), d.Get("anyOf")); alternatives != nil {
			return m.alternative(alternatives.Items, pointer, depth)
		}
	}
	switch TypeOf(d) {
	case "object":
		return m.object(d, pointer, depth)
	case "array":
		return m.array(d, pointer, depth)
	case "string":
		return text(d)
	case "integer", "number":
		return number(d, TypeOf(d) == "integer")
	case "boolean":
		return &jsondoc.Value{Kind: rawjson.Bool, Raw: []byte("true")}
	case "null":
		return &jsondoc.Value{Kind: rawjson.Null, Raw: []byte("null")}
	}
	if all := d.Get("allOf"); all != nil {
		return m.alternative(all.Items, pointer, depth)
	}
	return anyValue
}

// alternative returns a value for a preferred alternative, or else for the first one that has a value other than null.
func (m *maker) alternative(alternatives []*jsondoc.Value, pointer string, depth int) (value *jsondoc.Value) {
	if i := slices.IndexFunc(alternatives, func(d *jsondoc.Value) bool { return slices.Contains(m.branches, d) }); i >= 0 {
		alternatives = alternatives[i:]
	}
	for _, d := range alternatives {
		if value = cmp.Or(m.value(d, pointer, depth), value); value != nil && !value.IsNull() {
			break
		}
	}
	return value
}

// object returns an object with the required members and the wanted ones, in the order of properties. It returns nil if
// there is no value for a required member.
func (m *maker) object(d *jsondoc.Value, pointer string, depth int) *jsondoc.Value {
	object := jsondoc.Object()
	add := func(name string, schema *jsondoc.Value) bool {
		if object.Get(name) != nil {
			return true
		}
		value := m.value(schema, member(pointer, name), depth+1)
		if value != nil {
			object.Members = append(object.Members, jsondoc.Member{Name: name, Value: value})
		}
		return value != nil
	}
	for _, part := range append([]*jsondoc.Value{d}, d.Get("allOf").Elements()...) {
		required := part.Get("required").Texts()
		for _, p := range part.Get("properties").Entries() {
			if slices.Contains(required, p.Name) || m.members[member(pointer, p.Name)] {
				add(p.Name, p.Value)
			}
		}
		for _, name := range required {
			if !add(name, cmp.Or(d.Get("properties").Get(name), d.Get("additionalProperties"), &jsondoc.Value{})) {
				return nil
			}
		}
	}
	if properties := d.Get("properties").Entries(); pointer == "" && len(object.Members) == 0 {
		for _, p := range properties[:min(maxOptional, len(properties))] {
			m.members[member(pointer, p.Name)] = true
			add(p.Name, p.Value)
		}
	}
	rest := cmp.Or(d.Get("additionalProperties"), &jsondoc.Value{})
	for i := 1; len(object.Members) < m.leastMembers(d, pointer); i++ {
		if name, ok := m.name(d, i); !ok || !add(name, rest) {
			return nil
		}
	}
	return object
}

// leastMembers returns the number of members that d requires, at least one for a map that is wanted or is the root.
func (m *maker) leastMembers(d *jsondoc.Value, pointer string) int {
	least, _ := d.Limit(jsondoc.Members, true)
	isMap := d.Get("additionalProperties").IsObject() && d.Get("properties").Entries() == nil
	if isMap && (pointer == "" || m.members[pointer]) {
		return max(least, 1)
	}
	return least
}

// member returns the pointer of a member.
func member(pointer, name string) string { return pointer + "/" + jsondoc.EscapeToken(name) }

// name returns the i-th name for a member that d does not name, and whether there is one.
func (m *maker) name(d *jsondoc.Value, i int) (string, bool) {
	if names := d.Get("propertyNames"); names != nil {
		name := m.value(names, "", 0)
		return name.Text(), name != nil && i == 1
	}
	return "key" + strconv.Itoa(i), i <= maxItems
}

// array returns an array with as many items as the schema requires, and at least one if that is allowed and there is a
// value. It returns nil if there are not enough values.
func (m *maker) array(d *jsondoc.Value, pointer string, depth int) *jsondoc.Value {
	heads, rest := d.ItemSchemas()
	least, _ := d.Limit(jsondoc.Items, true)
	matches, _ := d.Limit(jsondoc.Matches, true)
	length := max(1, least, matches, len(heads.Elements()))
	if most, limited := d.Limit(jsondoc.Items, false); limited {
		length = min(length, most)
	}
	array := jsondoc.Array()
	for i := range min(length, maxItems) {
		schema := cmp.Or(rest, d.Get("contains"), &jsondoc.Value{})
		switch {
		case i < len(heads.Elements()):
			schema = heads.Items[i]
		case i < matches:
			schema = d.Get("contains")
		}
		item := m.value(schema, pointer+"/0", depth+1)
		if item == nil {
			break
		}
		array.Items = append(array.Items, item)
	}
	if len(array.Items) < least {
		return nil
	}
	return array
}
