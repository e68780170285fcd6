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

	"github.com/go-json-experiment/json/jsontext"
)

// writer appends values as JSON for a plan, checked as they are written.
type writer struct {
	out       []byte
	direction Direction
	depth     int // open arrays and objects
}

// encode appends a value and reports whether it is known to be valid. What is
// appended is what the slow way would, byte for byte.
func (p *plan) encode(w *writer, v reflect.Value) bool {
	switch p.kind {
	case kindPointer:
		if v.IsNil() {
			w.out = append(w.out, "null"...)
			return p.null
		}
		return p.elem.encode(w, v.Elem())
	case kindStruct:
		return p.encodeStruct(w, v)
	case kindSlice, kindArray:
		return p.encodeList(w, v)
	case kindMap:
		return p.encodeMap(w, v)
	case kindAny, kindRaw, kindJSON:
		return p.encodeAnything(w, v)
	case kindString, kindBytes, kindTime, kindText:
		return p.encodeText(w, v)
	default:
		if p.node.quoted {
			start := len(w.out)
			w.out = append(w.out, '"')
			ok := p.encodeScalar(w, v)
			w.out = append(w.out, '"')
			return ok && p.rules.allowsText(w.out[start+1:len(w.out)-1])
		}
		return p.encodeScalar(w, v)
	}
}

// encodeScalar appends a bool or a number, which may be quoted.
func (p *plan) encodeScalar(w *writer, v reflect.Value) bool {
	switch p.kind {
	case kindBool:
		b := v.Bool()
		w.out = strconv.AppendBool(w.out, b)
		return p.node.quoted || p.rules.allowsBool(b)
	case kindInt:
		i := v.Int()
		w.out = strconv.AppendInt(w.out, i, 10)
		return i >= p.low && i <= p.high && (p.free || p.rules.allowsInt(i))
	case kindUint:
		u := v.Uint()
		w.out = strconv.AppendUint(w.out, u, 10)
		if u > math.MaxInt64 {
			return p.free && p.unbounded
		}
		i := int64(u)
		return i >= p.low && i <= p.high && (p.free || p.rules.allowsInt(i))
	case kindFloat:
		f := v.Float()
		start := len(w.out)
		w.out = appendFloat(w.out, f, p.node.goType.Bits())
		return !math.IsNaN(f) && !math.IsInf(f, 0) && (p.free || p.rules.allowsNumber(w.out[start:]))
	default:
		number := v.String()
		if number == "" {
			number = "0"
		}
		start := len(w.out)
		w.out = append(w.out, number...)
		r := reader{data: w.out[start:]}
		_, ok := r.number()
		return ok && r.pos == len(number) && number[0] > ' ' && (p.free || p.rules.allowsNumber(w.out[start:]))
	}
}

// appendFloat appends a float as jsontext does, which is slow for whole numbers.
func appendFloat(dst []byte, f float64, bits int) []byte {
	const exact = 1 << 24 // for a float32, too
	if i := int64(f); float64(i) == f && -exact < i && i < exact && (i != 0 || !math.Signbit(f)) {
		return strconv.AppendInt(dst, i, 10)
	}
	return jsontext.AppendFloat(dst, f, bits)
}

// encodeText appends a string, or what is written in one.
func (p *plan) encodeText(w *writer, v reflect.Value) bool {
	start := len(w.out)
	plain := true // what stands between the quotes is the text itself
	switch p.kind {
	case kindBytes:
		w.out = append(w.out, '"')
		w.out = base64.StdEncoding.AppendEncode(w.out, v.Bytes())
		w.out = append(w.out, '"')
	case kindTime:
		t, _ := reflect.TypeAssert[time.Time](v)
		out, err := t.AppendText(append(w.out, '"'))
		if err != nil {
			return false
		}
		w.out = append(out, '"')
	case kindText:
		text, err := marshalText(v)
		if err != nil || !w.string(text, &plain) {
			return false
		}
	default:
		if !w.string(v.String(), &plain) {
			return false
		}
	}
	if p.free {
		return true
	}
	text := w.out[start+1 : len(w.out)-1]
	if !plain {
		text, _ = jsontext.AppendUnquote(nil, w.out[start:])
	}
	return p.rules.allowsText(text)
}

// string appends a string with the fewest escapes, and says in plain if there
// were none. It reports whether the string is UTF-8.
func (w *writer) string(s string, plain *bool) bool {
	i := 0
	for i < len(s) && plainBytes[s[i]] {
		i++
	}
	w.out = append(w.out, '"')
	if i == len(s) {
		w.out = append(w.out, s...)
		w.out = append(w.out, '"')
		return true
	}
	if !utf8.ValidString(s[i:]) {
		return false
	}
	before := len(w.out)
	w.out = appendString(w.out[:before-1], s)
	*plain = len(w.out) == before+len(s)+1 // an escape takes more room than what it stands for
	return true
}

// encodeAnything appends a value whose JSON is its own, or nobody's, business, and
// then checks it.
func (p *plan) encodeAnything(w *writer, v reflect.Value) bool {
	start := len(w.out)
	e := encoder{out: w.out, direction: w.direction}
	if err := e.value(p.node, v, nil); err != nil {
		return false
	}
	w.out = e.out
	r := reader{data: w.out[start:], depth: w.depth}
	if r.peek() == 'n' {
		return p.null
	}
	return p.rules.check(&r) && r.ended()
}

// enter counts a container that is opened.
func (w *writer) enter(c byte) bool {
	w.depth++
	w.out = append(w.out, c)
	return w.depth <= maxDepth
}

func (w *writer) leave(c byte) {
	w.depth--
	w.out = append(w.out, c)
}

func (p *plan) encodeStruct(w *writer, v reflect.Value) bool {
	if !w.enter('{') {
		return false
	}
	s := p.shape
	var seen fieldSet
	n := 0
	for i := range s.fields {
		f := &s.fields[i]
		var fv reflect.Value
		if f.at >= 0 {
			fv = v.Field(f.at)
		} else {
			var there bool
			if fv, there = fieldAt(v, f.index); !there {
				continue
			}
		}
		if f.mayOmit && omits(w.direction, f.field, fv) {
			continue
		}
		if n > 0 {
			w.out = append(w.out, ',')
		}
		n++
		seen.add(i)
		w.out = append(w.out, f.key...)
		if !f.plan.encode(w, fv) {
			return false
		}
	}
	w.leave('}')
	return seen.covers(&s.required) && p.rules.object.allowsLength(n)
}

func (p *plan) encodeList(w *writer, v reflect.Value) bool {
	if !w.enter('[') {
		return false
	}
	n := v.Len()
	for i := range n {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		if !p.elem.encode(w, v.Index(i)) {
			return false
		}
	}
	w.leave(']')
	return p.rules.list.allowsLength(n) && (!p.rules.list.unique || allDifferent(v))
}

// An entry is a member of a map on its way out.
type entry struct {
	name  string
	value reflect.Value
}

func (p *plan) encodeMap(w *writer, v reflect.Value) bool {
	if !w.enter('{') {
		return false
	}
	entries := make([]entry, 0, v.Len())
	for iter := v.MapRange(); iter.Next(); {
		name, err := writeKey(p.node.key, iter.Key(), nil)
		if err != nil || !utf8.ValidString(name) {
			return false
		}
		entries = append(entries, entry{name, iter.Value()})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	required := 0
	for i, e := range entries {
		if i > 0 {
			if e.name == entries[i-1].name {
				return false
			}
			w.out = append(w.out, ',')
		}
		w.out = append(appendString(w.out, e.name), ':')
		member := p.member([]byte(e.name))
		if member == nil || !p.rules.object.allowsName([]byte(e.name)) || !member.encode(w, e.value) {
			return false
		}
		if p.rules.object.required[e.name] {
			required++
		}
	}
	w.leave('}')
	return required == len(p.rules.object.required) && p.rules.object.allowsLength(len(entries))
}
