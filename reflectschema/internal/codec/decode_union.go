package codec

import (
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// union decodes an object into an interface. The discriminator, which may be anywhere in the object, determines the
// member of the union.
func (d *decoder) union(n *Node, dst reflect.Value, at jsondoc.Path) {
	if !d.expect(rawjson.Object, "object", at) {
		return
	}
	name, given := d.discriminator(n.Discriminator)
	i := slices.IndexFunc(n.Arms, func(a Arm) bool { return a.Name == name })
	if !given || i < 0 {
		f := Failure{Keyword: "required", Want: n.armNames()}
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
