package codec

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// encodeUnion appends the struct in an interface as an object with the discriminator as its first member.
func (p *Plan) encodeUnion(e *encoder, dst []byte, v reflect.Value) ([]byte, bool) {
	held := v.Elem()
	if held.Kind() == reflect.Pointer {
		held = held.Elem()
	}
	if !held.IsValid() {
		return append(dst, "null"...), p.null
	}
	for i := range p.arms {
		if a := &p.arms[i]; a.Node.GoType == held.Type() {
			return a.plan.encodeStruct(e, append(dst, a.Open...), held, 1)
		}
	}
	return e.cannot(dst, "a member of the union, which are "+p.node.armNames(), "a value of another type")
}

// encodeStruct appends the fields of a struct to an object with n members, and closes the object. If n is 0, it also opens
// the object, with a brace in place of the comma that each field begins with.
func (p *Plan) encodeStruct(e *encoder, dst []byte, v reflect.Value, n int) ([]byte, bool) {
	start, opens := len(dst), n == 0
	if e.nestsTooDeep(p) || len(dst) > e.most {
		return dst, false
	}
	e.around++
	for _, f := range p.shape.fields {
		var member reflect.Value
		if f.always {
			member = v.Field(f.at)
		} else {
			var given bool
			if member, given = f.out(v, p.direction); !given {
				if f.required {
					return dst, false
				}
				continue
			}
		}
		n++
		dst = append(dst, f.key...)
		var ok bool
		if dst, ok = f.plan.encode(e, dst, member); !ok {
			e.addStep(jsondoc.Step{Name: f.Name, Index: jsondoc.NamedMember})
			return dst, false
		}
	}
	e.around--
	switch {
	case n == 0:
		dst = append(dst, '{')
	case opens:
		dst[start] = '{'
	}
	return append(dst, '}'), p.rules.Object.AllowsLength(n)
}

// out returns the value of the field in a struct, and whether it is written.
func (f *planField) out(v reflect.Value, d Direction) (member reflect.Value, given bool) {
	if member, given = fieldAt(v, f.Index); !given {
		return member, false
	}
	return member, !f.mayOmit || !f.Omitted(d, member)
}

// fieldAt returns the field at an index path, or false below a nil embedded pointer.
func fieldAt(v reflect.Value, index []int) (reflect.Value, bool) {
	for i, x := range index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return reflect.Value{}, false
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v, true
}

// Omitted reports whether a field with the value v is omitted. In an input, a field that would get its default when
// absent is written, unless it would be an invalid null.
func (f *Field) Omitted(d Direction, v reflect.Value) bool {
	switch {
	case d == Input && (f.Def != nil && f.Nullable || f.OmitZero && f.fillsInside()):
		return false
	case f.OmitEmpty && isEmpty(v):
		return true
	case f.OmitZero && f.IsZero != nil:
		return f.IsZero(v)
	case f.OmitZero:
		return v.IsZero()
	case d != Input:
		return false
	default: // nil pointers are absent, as are nil unions in optional fields
		return (f.Node.Kind == KindPointer || f.Node.Kind == KindUnion && f.Optional) && v.IsNil()
	}
}

// isEmpty reports whether encoding/json omits v for omitempty.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	default:
		return v.IsZero()
	}
}

func (p *Plan) encodeList(e *encoder, dst []byte, v reflect.Value) ([]byte, bool) {
	if e.nestsTooDeep(p) {
		return dst, false
	}
	e.around++
	start := len(dst)
	dst = append(dst, '[')
	n, look := v.Len(), firstGrowth
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		if i == look {
			look *= 4
			dst = growFor(dst, len(dst)-start, i, min(n, look), e.most)
		}
		var ok bool
		if dst, ok = p.elem.encode(e, dst, v.Index(i)); !ok || len(dst) > e.most {
			e.addStep(jsondoc.Step{Index: i})
			return dst, false
		}
	}
	e.around--
	ok := p.rules.List.AllowsLength(n)
	if ok && p.rules.List.Unique { // different invalid UTF-8 is written as the same U+FFFD
		ok = allDifferent(v) && !bytes.Contains(dst[start:], []byte("\ufffd"))
	}
	return append(dst, ']'), ok
}

// firstGrowth is the index before which growFor is first called. Each following index is four times as large.
const firstGrowth = 64

// growFor returns dst with capacity for the elements of a list or map from i to end, assuming that they are little
// larger than the elements before i, which take written bytes. A large result thus grows in few steps, each of which
// copies it. The growth is limited by most, and to about three times the written bytes.
func growFor(dst []byte, written, i, end, most int) []byte {
	const worthIt = 16 << 10
	if written < worthIt {
		return dst
	}
	more := written / i * (end - i)
	return rawjson.Grow(dst, max(min(more+more/8, most-len(dst)), 0))
}

// An entry is an entry of a map, with its key as a string.
type entry struct {
	name  string
	value reflect.Value
}

func (p *Plan) encodeMap(e *encoder, dst []byte, v reflect.Value) ([]byte, bool) {
	if e.nestsTooDeep(p) {
		return dst, false
	}
	entries := make([]entry, 0, v.Len())
	for iter := v.MapRange(); iter.Next(); {
		name, ok := e.keyName(dst, p.node.Key, iter.Key())
		if !ok || !p.unchecked && !utf8.ValidString(name) {
			return dst, false
		}
		entries = append(entries, entry{name, iter.Value()})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	e.around++
	start, look := len(dst), firstGrowth
	dst = append(dst, '{')
	required := 0
	for i, member := range entries {
		if i > 0 {
			if !p.unchecked && member.name == entries[i-1].name {
				return dst, false
			}
			dst = append(dst, ',')
		}
		if i == look {
			look *= 4
			dst = growFor(dst, len(dst)-start, i, min(len(entries), look), e.most)
		}
		dst = append(jsondoc.AppendString(dst, member.name), ':')
		elem := p.member(member.name)
		names := p.rules.Object.Names
		if elem == nil || names != nil && !names.Resolved().AllowsWritten([]byte(member.name), len(dst)) {
			return dst, false
		}
		var ok bool
		if dst, ok = elem.encode(e, dst, member.value); !ok || len(dst) > e.most {
			e.addStep(jsondoc.Step{Name: member.name, Index: jsondoc.NamedMember})
			return dst, false
		}
		if p.rules.Object.Required[member.name] {
			required++
		}
	}
	e.around--
	return append(dst, '}'), required == len(p.rules.Object.Required) && p.rules.Object.AllowsLength(len(entries))
}

// keyName returns the member name of a key of the map that is being appended to dst.
func (e *encoder) keyName(dst []byte, n *Node, key reflect.Value) (name string, ok bool) {
	name, err := KeyText(n, key)
	if err != nil {
		e.cannot(dst, "keyed by what can be written", problem(err))
		return "", false
	}
	if n.Registered == nil {
		return name, true
	}
	if want := n.requirement(name, nil); want != "" {
		e.fail(dst, Violation{Keyword: "propertyNames", Want: want, Got: show.Quote(name, show.MaxText)})
		e.addStep(jsondoc.Step{Name: name, Index: jsondoc.NamedMember})
		return "", false
	}
	return name, true
}
