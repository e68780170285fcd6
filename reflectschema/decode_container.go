package reflectschema

import (
	"reflect"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

func (d *decoder) structure(n *node, dst reflect.Value, at jsondoc.Path) {
	if !d.expect(rawjson.Object, "object", at) {
		return
	}
	d.scan.OpenObject()
	given := make([]bool, len(n.fields))
	for raw, ok := d.scan.Member(); ok; raw, ok = d.scan.Member() {
		name := string(raw)
		i := n.fieldNamed(name)
		if i < 0 {
			d.scan.Value() // the schema allows it, and there is no field for it
			continue
		}
		if d.lenient && d.scan.Next() == rawjson.Null {
			d.scan.Value()
			continue
		}
		given[i] = true
		if member := fieldOf(dst, n.fields[i].index, d.memory); member.IsValid() {
			d.value(n.fields[i].node, member, at.Member(name))
		} else {
			d.scan.Value()
			d.fail(at.Member(name), Violation{Keyword: keywordDecode, Want: "absent, because it belongs to an embedded pointer that cannot be set"})
		}
	}
	for i := range n.fields {
		if !given[i] {
			d.absent(&n.fields[i], dst, at)
		}
	}
}

// fieldNamed returns the index of the field with this JSON name, or -1.
func (n *node) fieldNamed(name string) int {
	for i := range n.fields {
		if n.fields[i].name == name {
			return i
		}
	}
	return -1
}

// absent fills in a field that was not given: its default or, for a struct by value, the defaults inside it.
func (d *decoder) absent(f *field, dst reflect.Value, at jsondoc.Path) {
	switch {
	case f.def != nil:
		inner := newDecoder(f.def)
		inner.violations, inner.memory = d.violations, d.memory
		d.memory.Take(len(f.def)) // for the strings in it
		inner.value(f.node, fieldOf(dst, f.index, d.memory), at.Member(f.name))
	case f.fillsInside():
		outer := fieldOf(dst, f.index, d.memory)
		for i := range f.node.fields {
			d.absent(&f.node.fields[i], outer, at.Member(f.name))
		}
	}
}

// fillsInside reports whether the field is a struct that gets defaults inside when the field is absent.
func (f *field) fillsInside() bool {
	return f.node.kind == kindStruct && !f.absentZero && f.node.hasDefaults()
}

// hasDefaults reports whether a struct has a default, also inside a struct by value. It terminates because structs
// cannot contain themselves by value.
func (n *node) hasDefaults() bool {
	for i := range n.fields {
		if f := &n.fields[i]; f.def != nil || f.fillsInside() {
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

func (d *decoder) list(n *node, dst reflect.Value, at jsondoc.Path) {
	if !d.expect(rawjson.Array, "array", at) {
		return
	}
	d.scan.OpenArray()
	if n.kind == kindSlice {
		dst.Set(reflect.MakeSlice(n.goType, 0, 0)) // [] is not nil
	}
	i, in := 0, at.Element(0)
	for ; d.scan.Element(); i++ {
		switch {
		case d.violations.Total >= maxCounted:
			d.scan.Value() // more would not be counted
			continue
		case n.kind == kindSlice && (i < dst.Cap() || growList(d.memory, dst, n.elem.goType, i)):
			dst.SetLen(i + 1)
		case i >= dst.Len():
			d.scan.Value()
			continue
		}
		in[len(at)].Index = i
		d.value(n.elem, dst.Index(i), in)
	}
	if n.kind == kindArray && i != dst.Len() {
		keyword := "maxItems"
		if i < dst.Len() {
			keyword = "minItems"
		}
		d.fail(at, Violation{Keyword: keyword, Want: strconv.Itoa(dst.Len()), Got: strconv.Itoa(i)})
	}
}

func (d *decoder) mapping(n *node, dst reflect.Value, at jsondoc.Path) {
	if !d.expect(rawjson.Object, "object", at) {
		return
	}
	d.scan.OpenObject()
	d.memory.Take(mapSize)
	m := reflect.MakeMap(n.goType)
	for raw, ok := d.scan.Member(); ok; raw, ok = d.scan.Member() {
		name := string(raw)
		in := at.Member(name)
		if !takeEntry(d.memory, n.goType, m.Len()) {
			d.scan.Value()
			continue
		}
		value := reflect.New(n.elem.goType).Elem()
		key, want := readKey(n.key, name)
		d.value(n.elem, value, in)
		if want != "" {
			d.fail(in, Violation{Keyword: "propertyNames", Want: want, Got: show.Quote(name, show.MaxText)})
			continue
		}
		err := contain(func() error {
			if m.MapIndex(key).IsValid() {
				d.fail(in, Violation{Keyword: keywordDecode, Want: "given once", Got: "it twice, in different spellings"})
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

// readKey returns the map key of a member name. If the name is invalid, want describes the valid names.
func readKey(n *node, name string) (key reflect.Value, want string) {
	key = reflect.New(n.goType).Elem()
	if n.registered != nil {
		if want = n.registered.checkName(n, name); want != "" {
			return key, want
		}
	}
	switch n.kind {
	case kindString:
		key.SetString(name)
	case kindInt:
		i, err := strconv.ParseInt(name, 10, n.goType.Bits())
		if err != nil || strconv.FormatInt(i, 10) != name {
			low, high := intRange(n.goType)
			return key, "must be an integer from " + low + " to " + high
		}
		key.SetInt(i)
	case kindUint:
		i, err := strconv.ParseUint(name, 10, n.goType.Bits())
		if err != nil || strconv.FormatUint(i, 10) != name {
			return key, "must be an integer from 0 to " + uintMax(n.goType)
		}
		key.SetUint(i)
	case kindJSON:
		if err := unmarshalOwn(n, key, quote(name), nil); err != nil {
			return key, "must be " + wantOf(n, err)
		}
	default:
		if err := unmarshalText(key, name); err != nil {
			return key, "must be " + wantOf(n, err)
		}
	}
	return key, ""
}
