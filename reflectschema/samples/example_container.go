package samples

import (
	"math/big"
	"slices"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/placeholder"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// object returns an object with the required members and those to be shown, in the order
// of properties. It adds members with made-up names if the schema requires a number of
// members, or if the object is a map. It returns nil if a required member cannot be made.
func (m *exampleMaker) object(d *jsondoc.Value, r reader, pointer string, depth int) []byte {
	o := objectExample{exampleMaker: m, reader: r, pointer: pointer, depth: depth}
	o.made.Kind = rawjson.Object
	parts := []*jsondoc.Value{d}
	if all := d.Get("allOf"); all != nil {
		parts = append(parts, all.Items...)
	}
	for _, part := range parts {
		if !o.part(part, d) {
			return nil
		}
	}
	if properties := d.Get("properties").Entries(); m.telling && pointer == "" && len(o.made.Members) == 0 {
		for _, p := range properties[:min(maxTelling, len(properties))] {
			m.shown["/"+jsondoc.EscapeToken(p.Name)] = true
			o.add(p.Name, p.Value)
		}
	}
	if !o.fill(d) {
		return nil
	}
	return o.made.AppendTo(nil)
}

// objectExample is the state of object.
type objectExample struct {
	*exampleMaker
	reader  reader
	pointer string
	depth   int
	made    jsondoc.Value
}

// at returns the pointer of a member.
func (o *objectExample) at(name string) string {
	return o.pointer + "/" + jsondoc.EscapeToken(name)
}

// add adds a member unless the object has it. It reports false if it finds no value.
func (o *objectExample) add(name string, schema *jsondoc.Value) bool {
	if o.made.Get(name) != nil {
		return true
	}
	raw := o.value(schema, o.reader.member(name), o.at(name), o.depth+1)
	if raw != nil {
		o.made.Members = append(o.made.Members, jsondoc.Member{Name: name, Value: &jsondoc.Value{Raw: raw}})
	}
	return raw != nil
}

// part adds the members that a part of the schema d requires, and its members to be shown. It reports false if a
// required member cannot be made.
func (o *objectExample) part(part, d *jsondoc.Value) bool {
	required := part.Get("required").Texts()
	for _, p := range part.Get("properties").Entries() {
		must := slices.Contains(required, p.Name)
		if (must || o.shown[o.at(p.Name)]) && !o.add(p.Name, p.Value) && must {
			return false
		}
	}
	for _, name := range required {
		if !o.add(name, restOf(d, name)) {
			return false
		}
	}
	return o.dependents(part, d)
}

// dependents adds the members that part requires because of those that the object has.
func (o *objectExample) dependents(part, d *jsondoc.Value) bool {
	all := part.Get("dependentRequired").Entries()
	for range all { // a member that is added may require others
		for _, dependent := range all {
			if o.made.Get(dependent.Name) == nil {
				continue
			}
			for _, name := range dependent.Value.Texts() {
				if !o.add(name, restOf(d, name)) {
					return false
				}
			}
		}
	}
	return true
}

// fill adds members with made-up names until there are enough. It reports false if it finds no further name or value.
func (o *objectExample) fill(d *jsondoc.Value) bool {
	least, _ := d.Limit(jsondoc.Members, true)
	least = min(least, maxExampleItems)
	if isMap(d) && o.telling && (o.pointer == "" || o.shown[o.pointer]) {
		least = max(least, 1)
	}
	for i := 1; len(o.made.Members) < least; i++ {
		name, ok := o.madeUpName(d, o.reader, i)
		if !ok || i > maxExampleItems || !o.add(name, restOf(d, "")) {
			return false
		}
	}
	return true
}

// isMap reports whether d describes a map: it has a schema for all members and does not name any.
func isMap(d *jsondoc.Value) bool {
	rest := d.Get("additionalProperties")
	return len(d.Get("properties").Entries()) == 0 && rest != nil && rest.Kind == rawjson.Object
}

// madeUpName returns the i-th name, from 1 on, for a member that the schema does not
// name, and whether it has found one.
func (m *maker) madeUpName(d *jsondoc.Value, r reader, i int) (string, bool) {
	names := d.Get("propertyNames")
	if listed := names.Listed(); listed != nil {
		return listed[min(i, len(listed))-1].Text(), i <= len(listed)
	}
	if name, own := r.name(names); own {
		return name, name != "" && i == 1 // a Reader returns only one name
	}
	if names == nil {
		return "key" + strconv.Itoa(i), true
	}
	fits := m.check(names)
	for _, name := range []string{strconv.Itoa(i), "key" + strconv.Itoa(i), "key"} {
		if fits(jsondoc.AppendString(nil, name)) && (i == 1 || name != "key") {
			return name, true
		}
	}
	name := stringFor(names)
	if i > 1 && name != nil {
		name = varied(names.With("type", jsondoc.String("string")), name, i-1)
	}
	return jsondoc.Parse(name).Text(), name != nil && fits(name)
}

// restOf returns the schema of the member called name: from properties, or else from additionalProperties.
func restOf(d *jsondoc.Value, name string) *jsondoc.Value {
	if known := d.Get("properties").Get(name); known != nil {
		return known
	}
	if rest := d.Get("additionalProperties"); rest != nil {
		return rest
	}
	return jsondoc.Object()
}

// array returns an array with as many items as the schema requires, and at least one if it is allowed.
func (m *exampleMaker) array(d *jsondoc.Value, r reader, pointer string, depth int) []byte {
	heads, _ := d.ItemSchemas()
	least, _ := d.Limit(jsondoc.Items, true)
	matches, _ := d.Limit(jsondoc.Matches, true)
	length := max(1, least, matches)
	if heads != nil {
		length = max(length, len(heads.Items))
	}
	if most, limited := d.Limit(jsondoc.Items, false); limited {
		length = min(length, most)
	}
	if length > maxExampleItems {
		return nil
	}
	return m.items(d, r, pointer, depth, length, matches)
}

// items returns an array of length items, or fewer if it finds no values. The first ones match contains, as many as
// matches.
func (m *exampleMaker) items(d *jsondoc.Value, r reader, pointer string, depth, length, matches int) []byte {
	heads, rest := d.ItemSchemas()
	contains := d.Get("contains")
	arr := jsondoc.Array()
	for i := range length {
		schema := rest
		switch {
		case heads != nil && i < len(heads.Items):
			schema = heads.Items[i]
		case contains != nil && (rest == nil || i < matches):
			schema = contains
		case rest == nil:
			schema = jsondoc.Object()
		}
		v := m.value(schema, r.element(), pointer+"/0", depth+1)
		if v == nil {
			break
		}
		if i > 0 && d.Get("uniqueItems") != nil {
			v = varied(schema, v, i)
		}
		arr.Items = append(arr.Items, &jsondoc.Value{Raw: v})
	}
	return arr.AppendTo(nil)
}

// varied returns the n-th value for the schema d that differs from first, and
// from those for smaller n, as far as it finds one.
func varied(d *jsondoc.Value, first []byte, n int) []byte {
	if values := d.Get("enum"); values != nil && n < len(values.Items) {
		return values.Items[n].AppendTo(nil)
	}
	switch placeholder.TypeOf(d) {
	case "integer", "number":
		unit, ok := d.Get("multipleOf").Number()
		if !ok {
			unit = big.NewRat(1, 1)
		}
		if x, ok := new(big.Rat).SetString(string(first)); ok {
			return []byte(show.Rat(x.Add(x, unit.Mul(unit, big.NewRat(int64(n), 1)))))
		}
	case "string":
		return variedText(d, first, n)
	}
	return first
}
