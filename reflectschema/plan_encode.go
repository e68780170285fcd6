package reflectschema

import (
	"encoding/base64"
	"math"
	"reflect"
	"strconv"
	"time"

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
		return p.encodeString(dst, v.String())
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
	case kindBytes, kindTime, kindText:
		return p.encodeText(dst, v)
	default:
		return p.encodeScalar(dst, v)
	}
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
		return p.encodeString(dst, text)
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
