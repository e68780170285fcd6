package codec

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

func (d *decoder) structure(n *Node, dst reflect.Value, at jsondoc.Path) {
	if !d.expect(rawjson.Object, "object", at) {
		return
	}
	d.scan.OpenObject()
	given := make([]bool, len(n.Fields))
	for raw, ok := d.scan.Member(); ok; raw, ok = d.scan.Member() {
		name := string(raw)
		i := n.FieldNamed(name)
		if i < 0 {
			d.scan.Value() // the schema allows it, and no field has the name
			continue
		}
		if d.lenient && d.scan.Next() == rawjson.Null {
			d.scan.Value()
			continue
		}
		given[i] = true
		f, member := &n.Fields[i], fieldOf(dst, n.Fields[i].Index, d.memory)
		switch {
		case !member.IsValid():
			d.scan.Value()
			d.fail(at.Member(name), Violation{Keyword: KeywordDecode, Want: "absent, because it belongs to an embedded pointer that cannot be set"})
		case f.Optional && f.Node.Kind == KindJSON && f.Node.Registered == nil && d.scan.Next() == rawjson.Null:
			d.scan.Value()
			given[i] = unmarshalNull(f.Node, member, d.memory)
		default:
			d.value(f.Node, member, at.Member(name))
		}
	}
	for i := range n.Fields {
		if !given[i] {
			d.absent(&n.Fields[i], dst, at)
		}
	}
}

// absent fills in a field that was not given: its default or, for a struct by value, the defaults inside it.
func (d *decoder) absent(f *Field, dst reflect.Value, at jsondoc.Path) {
	switch {
	case f.Def != nil:
		d.memory.Take(len(f.Def)) // for the strings in it
		newDecoder(f.Def, d.violations, d.memory).value(f.Node, fieldOf(dst, f.Index, d.memory), at.Member(f.Name))
	case f.fillsInside():
		outer := fieldOf(dst, f.Index, d.memory)
		for i := range f.Node.Fields {
			d.absent(&f.Node.Fields[i], outer, at.Member(f.Name))
		}
	}
}

// fillsInside reports whether the field is a struct that gets defaults inside when the field is absent.
func (f *Field) fillsInside() bool {
	return f.Node.Kind == KindStruct && !f.AbsentZero && f.Node.hasDefaults()
}

// hasDefaults reports whether a struct has a default, also inside a struct by value. It terminates because structs
// cannot contain themselves by value.
func (n *Node) hasDefaults() bool {
	for i := range n.Fields {
		if f := &n.Fields[i]; f.Def != nil || f.fillsInside() {
			return true
		}
	}
	return false
}

// fieldOf returns the field at an index path, allocating embedded pointers on the way. It returns the zero Value below a
// nil pointer to an unexported struct, which cannot be set; only outputs have such pointers.
func fieldOf(v reflect.Value, index []int, m *rules.Memory) reflect.Value {
	for i, x := range index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() && !v.CanSet() {
				return reflect.Value{}
			}
			if v.IsNil() {
				m.Take(int(v.Type().Elem().Size()))
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v
}

func (d *decoder) list(n *Node, dst reflect.Value, at jsondoc.Path) {
	if !d.expect(rawjson.Array, "array", at) {
		return
	}
	d.scan.OpenArray()
	if n.Kind == KindSlice {
		dst.Set(reflect.MakeSlice(n.GoType, 0, 0)) // [] is not nil
	}
	i, in := 0, at.Element(0)
	for ; d.scan.Element(); i++ {
		switch {
		case d.violations.Total >= MaxCounted:
			d.scan.Value() // more would not be counted
			continue
		case n.Kind == KindSlice && (i < dst.Cap() || growList(d.memory, dst, n.Elem.GoType, i)):
			dst.SetLen(i + 1)
		case i >= dst.Len():
			d.scan.Value()
			continue
		}
		in[len(at)].Index = i
		d.value(n.Elem, dst.Index(i), in)
	}
	if n.Kind == KindArray && i != dst.Len() {
		keyword := "maxItems"
		if i < dst.Len() {
			keyword = "minItems"
		}
		d.fail(at, Violation{Keyword: keyword, Want: strconv.Itoa(dst.Len()), Got: strconv.Itoa(i)})
	}
}

func (d *decoder) mapping(n *Node, dst reflect.Value, at jsondoc.Path) {
	if !d.expect(rawjson.Object, "object", at) {
		return
	}
	d.scan.OpenObject()
	d.memory.Take(mapSize)
	m := reflect.MakeMap(n.GoType)
	for raw, ok := d.scan.Member(); ok; raw, ok = d.scan.Member() {
		name := string(raw)
		in := at.Member(name)
		if !takeEntry(d.memory, n.GoType, m.Len()) {
			d.scan.Value()
			continue
		}
		value := reflect.New(n.Elem.GoType).Elem()
		key, want := readKey(n.Key, name, d.work)
		d.value(n.Elem, value, in)
		if want != "" {
			d.fail(in, Violation{Keyword: "propertyNames", Want: want, Got: show.Quote(name, show.MaxText)})
			continue
		}
		err := contain(func() error {
			if m.MapIndex(key).IsValid() {
				d.fail(in, Violation{Keyword: KeywordDecode, Want: "given once", Got: "it twice, with different spellings"})
			}
			m.SetMapIndex(key, value) // panics when a key made from text cannot be hashed
			return nil
		})
		if err != nil {
			d.fail(in, Violation{Keyword: "propertyNames", Want: "cannot be a key", Got: show.Quote(name, show.MaxText)})
		}
	}
	dst.Set(m)
}

// wantInteger describes the integers of a type.
func wantInteger(n *Node) string {
	low, high := n.Range()
	return "must be an integer from " + low.RatString() + " to " + high.RatString()
}

// readKey returns the map key of a member name. If the name is invalid, want describes the valid names.
func readKey(n *Node, name string, work *authority.Budget) (key reflect.Value, want string) {
	key = reflect.New(n.GoType).Elem()
	if n.Registered != nil {
		if want = n.requirement(name, work); want != "" {
			return key, want
		}
	}
	switch n.Kind {
	case KindString:
		key.SetString(name)
	case KindInt:
		i, err := strconv.ParseInt(name, 10, n.GoType.Bits())
		if err != nil || strconv.FormatInt(i, 10) != name {
			return key, wantInteger(n)
		}
		key.SetInt(i)
	case KindUint:
		i, err := strconv.ParseUint(name, 10, n.GoType.Bits())
		if err != nil || strconv.FormatUint(i, 10) != name {
			return key, wantInteger(n)
		}
		key.SetUint(i)
	case KindJSON:
		if err := unmarshalOwn(n, key, jsondoc.AppendString(nil, name), nil); err != nil {
			return key, "must be " + wantOf(n, err)
		}
	default:
		if err := UnmarshalText(key, name); err != nil {
			return key, "must be " + wantOf(n, err)
		}
	}
	return key, ""
}

// union decodes an object into an interface. The discriminator, which may be anywhere in the object, determines the
// member of the union.
func (d *decoder) union(n *Node, dst reflect.Value, at jsondoc.Path) {
	if !d.expect(rawjson.Object, "object", at) {
		return
	}
	name, given := d.discriminator(n.Discriminator)
	i := slices.IndexFunc(n.Arms, func(a Arm) bool { return a.Name == name })
	if !given || i < 0 {
		f := Violation{Keyword: "required", Want: n.armNames()}
		if given {
			f.Keyword, f.Got = "enum", show.Quote(name, show.MaxText)
		}
		d.fail(at.Member(n.Discriminator), f)
		d.scan.Value()
		return
	}
	a := &n.Arms[i]
	d.memory.Take(int(a.Node.GoType.Size()))
	made := reflect.New(a.Node.GoType)
	d.structure(a.Node, made.Elem(), at) // the struct has no field for the discriminator, and skips it
	if a.GoType.Kind() != reflect.Pointer {
		made = made.Elem()
	}
	dst.Set(made)
}

// discriminators maps the offset of each object in a JSON text to its discriminator.
type discriminators map[int]string

// discriminator returns the discriminator of the next object. The first call finds the discriminators of all objects,
// because a search in each object would read deeply nested objects once per level.
func (d *decoder) discriminator(member string) (text string, given bool) {
	found, ok := d.found[member]
	if !ok {
		found = discriminators{}
		scan := rawjson.New(d.data, rawjson.MaxDepth)
		found.collect(&scan, member)
		if d.found == nil {
			d.found = map[string]discriminators{}
		}
		d.found[member] = found
	}
	text, given = found[d.scan.Offset()]
	return text, given
}

// collect adds the discriminators of all objects in the next value.
func (t discriminators) collect(scan *rawjson.Scanner, member string) {
	switch scan.Next() {
	case rawjson.Object:
		at := scan.Offset()
		scan.OpenObject()
		for name, ok := scan.Member(); ok; name, ok = scan.Member() {
			if string(name) == member && scan.Next() == rawjson.String {
				t[at] = string(rawjson.Unquote(scan.Value()))
				continue
			}
			t.collect(scan, member)
		}
	case rawjson.Array:
		scan.OpenArray()
		for scan.Element() {
			t.collect(scan, member)
		}
	default:
		scan.Value()
	}
}
