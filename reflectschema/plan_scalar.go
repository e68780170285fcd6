package reflectschema

import (
	"bytes"
	"encoding/base64"
	"math"
	"reflect"
	"strconv"
	"time"
)

// limitNumber joins what the rules and the Go type say of a number.
func (p *plan) limitNumber() {
	number := &p.rules.number
	p.free = p.rules.choice == nil && number.unit.value == 0
	if p.kind == kindFloat || p.kind == kindNumber {
		p.free = p.free && number.bounds == nil && p.rules.types&typeFraction != 0
		return
	}
	p.low, p.high = limitsOf(p.node)
	p.unbounded = number.bounds == nil || number.above
	if number.bounds != nil {
		p.low, p.high = max(p.low, number.low), min(p.high, number.high)
	}
}

// limitQuoted does so for a number in a string, where the rules are about strings.
func (p *plan) limitQuoted() {
	p.free, p.unbounded = true, true
	p.low, p.high = limitsOf(p.node)
}

// limitsOf returns the least and the greatest value of an integer type, as far as
// they are int64.
func limitsOf(n *node) (low, high int64) {
	switch n.kind {
	case kindInt:
		high = math.MaxInt64 >> (64 - n.goType.Bits())
		return -high - 1, high
	case kindUint:
		if n.goType.Bits() == 64 {
			return 0, math.MaxInt64
		}
		return 0, 1<<n.goType.Bits() - 1
	default:
		return 0, 0
	}
}

// decodeScalar reads a bool or a number.
func (p *plan) decodeScalar(r *reader, dst reflect.Value) bool {
	switch p.kind {
	case kindInt, kindUint:
		i, ok := r.integer()
		if !ok || i < p.low || i > p.high || (!p.free && !p.rules.allowsInt(i)) {
			return false
		}
		if p.kind == kindInt {
			dst.SetInt(i)
		} else {
			dst.SetUint(uint64(i)) //nolint:gosec // low is at least 0
		}
		return true
	case kindBool:
		b := r.peek() == 't'
		if !r.literal(strconv.FormatBool(b)) || !p.rules.allowsBool(b) {
			return false
		}
		dst.SetBool(b)
		return true
	default:
		number, ok := r.number()
		return ok && (p.free || p.rules.allowsNumber(number)) && p.setNumber(number, dst)
	}
}

// setNumber sets a float or a json.Number.
func (p *plan) setNumber(number []byte, dst reflect.Value) bool {
	if p.kind == kindNumber {
		dst.SetString(string(number))
		return true
	}
	if p.node.goType.Bits() == 32 {
		f, err := strconv.ParseFloat(string(number), 32)
		dst.SetFloat(f)
		return err == nil
	}
	f, ok := floatOf(number)
	dst.SetFloat(f)
	return ok
}

// decodeQuoted reads a bool or a number that is written in a string.
func (p *plan) decodeQuoted(r *reader, dst reflect.Value) bool {
	text, ok := r.text()
	if !ok || !p.rules.allowsText(text) {
		return false
	}
	bare := reader{data: text}
	switch p.kind {
	case kindBool:
		ok = string(text) == "true"
		dst.SetBool(ok)
		return ok || string(text) == "false"
	case kindInt, kindUint:
		var i int64
		i, ok = bare.integer()
		if !ok || i < p.low || i > p.high {
			return false
		}
		if p.kind == kindInt {
			dst.SetInt(i)
		} else {
			dst.SetUint(uint64(i)) //nolint:gosec // low is at least 0
		}
	default:
		var number []byte
		if number, ok = bare.number(); !ok || !p.setNumber(number, dst) {
			return false
		}
	}
	return bare.pos == len(text) && text[0] > ' '
}

// decodeText reads a string, or what is written in one.
func (p *plan) decodeText(r *reader, dst reflect.Value) bool {
	text, ok := r.text()
	if !ok || (p.kind != kindString && !p.free && !p.rules.allowsText(text)) {
		return false
	}
	switch p.kind {
	case kindBytes:
		b := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
		n, err := base64.StdEncoding.Decode(b, text)
		dst.SetBytes(b[:n])
		return err == nil
	case kindTime:
		var t time.Time
		err := t.UnmarshalText(text)
		dst.Set(reflect.ValueOf(t))
		return err == nil
	case kindText:
		return unmarshalText(dst, string(text)) == nil
	default:
		return p.setString(text, dst)
	}
}

// setString sets a string if it is valid.
func (p *plan) setString(text []byte, dst reflect.Value) bool {
	if p.free {
		dst.SetString(string(text))
		return true
	}
	s, ok := p.rules.chosen(text)
	dst.SetString(s)
	return ok
}

// decodeAnything reads a value whose Go form is its own, or nobody's, business.
func (p *plan) decodeAnything(r *reader, dst reflect.Value) bool {
	null := r.peek() == 'n'
	start := r.pos
	if null && (!p.null || !r.literal("null")) || !null && !p.rules.check(r) {
		return false
	}
	raw := r.data[start:r.pos]
	switch p.kind {
	case kindRaw:
		dst.SetBytes(bytes.Clone(raw))
		return true
	case kindJSON:
		return unmarshalJSON(dst, bytes.Clone(raw)) == nil
	default:
		v, err := parseStrict(raw)
		if err == nil && v.any != nil {
			dst.Set(reflect.ValueOf(loosen(v.any)))
		}
		return err == nil
	}
}
