package reflectschema

import (
	"encoding/base64"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/jsonwrite"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// encode appends a value, which stands within depth arrays and objects, and reports whether
// it is known to be valid. What is appended is what the slow way would, byte for byte; when it
// is not known to be valid, what is appended does not matter. It stops where dst is longer than most, which is looked at
// before each struct and after each element and entry.
func (p *plan) encode(dst []byte, v reflect.Value, depth, most int) ([]byte, bool) {
	if p.inside != nil {
		return p.encodeQuoted(dst, v)
	}
	switch p.kind {
	case kindString:
		return p.encodeString(dst, v.String(), most)
	case kindFloat:
		return p.encodeFloat(dst, v.Float())
	case kindInt:
		return p.encodeInt(dst, v.Int())
	case kindStruct:
		return p.encodeStruct(dst, v, depth, most)
	case kindSlice, kindArray:
		return p.encodeList(dst, v, depth, most)
	case kindMap:
		return p.encodeMap(dst, v, depth, most)
	case kindUnion:
		return p.encodeUnion(dst, v, depth, most)
	case kindPointer:
		if v.IsNil() {
			return append(dst, "null"...), p.null
		}
		return p.elem.encode(dst, v.Elem(), depth, most)
	case kindAny, kindRaw, kindJSON:
		return p.encodeAnything(dst, v, depth, most)
	case kindBytes:
		if v.Kind() == reflect.Slice && v.Len() > most-len(dst) {
			return beyond(dst, most), false
		}
		return p.encodeText(dst, v)
	case kindTime, kindText:
		return p.encodeText(dst, v)
	default:
		return p.encodeScalar(dst, v)
	}
}

// beyond returns dst with anything appended that makes it longer than most, for a text that is too long to be written.
func beyond(dst []byte, most int) []byte {
	if len(dst) > most {
		return dst
	}
	return slices.Grow(dst, most+1-len(dst))[:most+1]
}

// encodeQuoted appends a bool or a number in a string.
func (p *plan) encodeQuoted(dst []byte, v reflect.Value) ([]byte, bool) {
	dst = append(dst, '"')
	start := len(dst)
	dst, ok := p.inside.encode(dst, v, 0, math.MaxInt)
	return append(dst, '"'), ok && p.rules.AllowsWritten(dst[start:], len(dst))
}

func (p *plan) encodeInt(dst []byte, i int64) ([]byte, bool) {
	return strconv.AppendInt(dst, i, 10), i >= p.low && i <= p.high && (p.free || p.rules.AllowsInt(i))
}

// encodeScalar appends what is rarer among bools and numbers.
func (p *plan) encodeScalar(dst []byte, v reflect.Value) ([]byte, bool) {
	switch p.kind {
	case kindBool:
		b := v.Bool()
		return strconv.AppendBool(dst, b), p.rules.AllowsBool(b)
	case kindUint:
		u := v.Uint()
		if u > math.MaxInt64 {
			return strconv.AppendUint(dst, u, 10), p.free && p.unbounded
		}
		return p.encodeInt(dst, int64(u))
	default: // kindNumber
		number := v.String()
		if number == "" {
			number = "0"
		}
		start := len(dst)
		dst = append(dst, number...)
		r := rules.Reader{Data: dst[start:]}
		_, ok := r.Number()
		return dst, ok && r.Pos == len(number) && number[0] > ' ' && (p.free || p.rules.AllowsNumber(r.Data))
	}
}

// encodeText appends what is written in a string.
func (p *plan) encodeText(dst []byte, v reflect.Value) ([]byte, bool) {
	if p.kind == kindText {
		text, err := marshalText(v)
		if err != nil {
			return dst, false
		}
		return p.encodeString(dst, text, math.MaxInt)
	}
	dst = append(dst, '"')
	start := len(dst)
	if p.kind == kindBytes {
		dst = base64.StdEncoding.AppendEncode(dst, v.Bytes())
	} else {
		t, _ := reflect.TypeAssert[time.Time](v)
		out, err := t.AppendText(dst)
		if err != nil {
			return dst, false
		}
		dst = out
	}
	return append(dst, '"'), p.free || p.rules.AllowsWritten(dst[start:], len(dst))
}

// encodeAnything appends a value whose JSON is its own, or nobody's, business, and
// then checks it.
func (p *plan) encodeAnything(dst []byte, v reflect.Value, depth, most int) ([]byte, bool) {
	e := encoder{out: dst, most: most, direction: p.direction}
	if err := e.value(p.node, v, nil); err != nil {
		return dst, false
	}
	r := rules.Reader{Data: e.out[len(dst):], Depth: depth}
	if r.Peek() == 'n' {
		return e.out, p.null
	}
	return e.out, p.rules.Check(&r) && r.Ended()
}

func (p *plan) encodeStruct(dst []byte, v reflect.Value, depth, most int) ([]byte, bool) {
	start := len(dst)
	dst, ok := p.encodeMembers(dst, v, 0, depth, most)
	if ok {
		dst[start] = '{'
	}
	return dst, ok
}

// encodeMembers appends the fields of a struct to an object that has n members, each after a comma, and closes it. In the
// place of the first comma, encodeStruct puts the brace that opens the object; if there are no members at all, that is
// appended here.
func (p *plan) encodeMembers(dst []byte, v reflect.Value, n, depth, most int) ([]byte, bool) {
	if depth >= authority.MaxDepth || len(dst) > most {
		return dst, false
	}
	s := p.shape
	for i, f := range s.fields {
		var member reflect.Value
		if f.always {
			member = v.Field(f.at)
		} else {
			var there bool
			if member, there = f.out(v, p.direction); !there {
				if s.required.has(i) {
					return dst, false
				}
				continue
			}
		}
		n++
		dst = f.appendKey(dst)
		var ok bool
		switch f.kind { // the most frequent ones without another call
		case kindString:
			dst, ok = f.plan.encodeString(dst, member.String(), most)
		case kindFloat:
			dst, ok = f.plan.encodeFloat(dst, member.Float())
		case kindInt:
			dst, ok = f.plan.encodeInt(dst, member.Int())
		default:
			dst, ok = f.plan.encode(dst, member, depth+1, most)
		}
		if !ok {
			return dst, false
		}
	}
	if n == 0 {
		dst = append(dst, '{')
	}
	return append(dst, '}'), p.rules.Object.AllowsLength(n)
}

func (p *plan) encodeList(dst []byte, v reflect.Value, depth, most int) ([]byte, bool) {
	if depth >= authority.MaxDepth {
		return dst, false
	}
	start := len(dst)
	dst = append(dst, '[')
	n, look := v.Len(), firstGrowth
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		if i == look {
			look *= 4
			dst = growFor(dst, len(dst)-start, i, min(n, look), most)
		}
		var ok bool
		if dst, ok = p.elem.encode(dst, v.Index(i), depth+1, most); !ok || len(dst) > most {
			return dst, false
		}
	}
	return append(dst, ']'), p.rules.List.AllowsLength(n) && (!p.rules.List.Unique || allDifferent(v))
}

// firstGrowth is the first element at which growFor is called; after that it is called each time there are four times as
// many.
const firstGrowth = 64

// growFor returns dst with room for the elements of a list or map from i to end, if they are little larger than those
// before, which have written bytes. So dst grows in few steps, since each copies what is there. It gets no more than a
// result may have, most, and no more than some three times what is written.
func growFor(dst []byte, written, i, end, most int) []byte {
	const worthIt = 16 << 10
	if written < worthIt {
		return dst
	}
	more := written / i * (end - i)
	return jsonwrite.Grow(dst, max(min(more+more/8, most-len(dst)), 0))
}

// An entry is a member of a map on its way out.
type entry struct {
	name  string
	value reflect.Value
}

func (p *plan) encodeMap(dst []byte, v reflect.Value, depth, most int) ([]byte, bool) {
	if depth >= authority.MaxDepth {
		return dst, false
	}
	entries := make([]entry, 0, v.Len())
	for iter := v.MapRange(); iter.Next(); {
		name, err := writeKey(p.node.key, iter.Key(), nil)
		if err != nil || !utf8.ValidString(name) {
			return dst, false
		}
		entries = append(entries, entry{name, iter.Value()})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	start, look := len(dst), firstGrowth
	dst = append(dst, '{')
	required := 0
	for i, e := range entries {
		if i == look {
			look *= 4
			dst = growFor(dst, len(dst)-start, i, min(len(entries), look), most)
		}
		if i > 0 {
			if e.name == entries[i-1].name {
				return dst, false
			}
			dst = append(dst, ',')
		}
		dst = append(jsondoc.AppendString(dst, e.name), ':')
		member := p.member([]byte(e.name))
		names := p.rules.Object.Names
		if member == nil || names != nil && !names.Resolved().AllowsWritten([]byte(e.name), len(dst)) {
			return dst, false
		}
		var ok bool
		if dst, ok = member.encode(dst, e.value, depth+1, most); !ok || len(dst) > most {
			return dst, false
		}
		if p.rules.Object.Required[e.name] {
			required++
		}
	}
	return append(dst, '}'), required == len(p.rules.Object.Required) && p.rules.Object.AllowsLength(len(entries))
}
