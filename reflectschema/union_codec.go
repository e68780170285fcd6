package reflectschema

import (
	"reflect"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// union reads an object into an interface: the discriminator, wherever it stands
// in the object, says which member to make.
func (d *decoder) union(n *node, dst reflect.Value, at jsondoc.Path) {
	if d.dec.PeekKind() != jsontext.KindBeginObject {
		d.expect(jsontext.KindBeginObject, "object", at)
		return
	}
	name, given := d.discriminator(n.discriminator)
	i := slices.IndexFunc(n.arms, func(a arm) bool { return a.name == name })
	if !given || i < 0 {
		v := Violation{Keyword: "required", Want: n.armNames()}
		if given {
			v.Keyword, v.Got = "enum", show.Quote(name, show.MaxText)
		}
		d.fail(at.Member(n.discriminator), v)
		_ = d.dec.SkipValue()
		return
	}
	a := &n.arms[i]
	d.memory.Take(int(a.node.goType.Size()))
	made := reflect.New(a.node.goType)
	d.structure(a.node, made.Elem(), at) // it has no field of that name, and passes over it
	if a.goType.Kind() != reflect.Pointer {
		made = made.Elem()
	}
	dst.Set(made)
}

// discriminators holds for every object of some JSON the text of its member of
// one name, by the offset at which the object was about to be read.
type discriminators map[int64]string

// discriminator returns the text of that member of the object that is next. To
// look for it in each object on its own would read what is nested deep again at
// every level; so all are found at once, when the first is asked for.
func (d *decoder) discriminator(member string) (text string, given bool) {
	found, ok := d.found[member]
	if !ok {
		found = discriminators{}
		found.collect(newDecoder(d.data).dec, member)
		if d.found == nil {
			d.found = map[string]discriminators{}
		}
		d.found[member] = found
	}
	text, given = found[d.dec.InputOffset()]
	return text, given
}

// collect notes the discriminators in the value that is next.
func (t discriminators) collect(dec *jsontext.Decoder, member string) {
	switch dec.PeekKind() {
	case jsontext.KindBeginObject:
		at := dec.InputOffset()
		_, _ = dec.ReadToken()
		for dec.PeekKind() == jsontext.KindString {
			tok, _ := dec.ReadToken()
			if tok.String() == member && dec.PeekKind() == jsontext.KindString {
				tok, _ = dec.ReadToken()
				t[at] = tok.String()
				continue
			}
			t.collect(dec, member)
		}
		_, _ = dec.ReadToken()
	case jsontext.KindBeginArray:
		_, _ = dec.ReadToken()
		for k := dec.PeekKind(); k != jsontext.KindEndArray && k != jsontext.KindInvalid; k = dec.PeekKind() {
			t.collect(dec, member)
		}
		_, _ = dec.ReadToken()
	default:
		_ = dec.SkipValue()
	}
}

// union appends what an interface holds, the discriminator first. nil is null;
// the schema says whether that may be.
func (e *encoder) union(n *node, v reflect.Value, at jsondoc.Path) error {
	held := v.Elem()
	if held.Kind() == reflect.Pointer {
		held = held.Elem()
	}
	if !held.IsValid() {
		e.out = append(e.out, "null"...)
		return nil
	}
	i := slices.IndexFunc(n.arms, func(a arm) bool { return a.node.goType == held.Type() })
	if i < 0 {
		return cannot(at, "a member of the union, which are "+n.armNames(), "a value of another type")
	}
	a := &n.arms[i]
	e.out = append(e.out, a.open...)
	return e.members(a.node, held, at, false)
}
