package reflectschema

import (
	"encoding/base64"
	"math"
	"reflect"
	"strconv"
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
	case kindUnion:
		return p.encodeUnion(w, v)
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
			ok := p.inside.encodeScalar(w, v)
			w.out = append(w.out, '"')
			return ok && p.rules.allowsText(w.out[start+1:len(w.out)-1])
		}
		return p.encodeScalar(w, v)
	}
}

// encodeScalar appends a bool or a number.
func (p *plan) encodeScalar(w *writer, v reflect.Value) bool {
	switch p.kind {
	case kindBool:
		b := v.Bool()
		w.out = strconv.AppendBool(w.out, b)
		return p.rules.allowsBool(b)
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
		return !math.IsNaN(f) && !math.IsInf(f, 0) && (p.free || p.allowsWritten(w.out[start:], f))
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
		text, _ = jsontext.AppendUnquote(w.out[len(w.out):], w.out[start:]) // into what room is left
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
