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
		p.limitFloat()
		return
	}
	p.low, p.high = limitsOf(p.node)
	p.unbounded = number.bounds == nil || number.above
	if number.bounds != nil {
		p.low, p.high = max(p.low, number.low), min(p.high, number.high)
	}
}

// limitFloat is limitNumber for a float: above and below stay 0 unless all numbers between them are
// valid.
func (p *plan) limitFloat() {
	number := &p.rules.number
	p.single = p.kind == kindFloat && p.node.goType.Bits() == 32
	if p.rules.choice != nil || number.unit.value != 0 || p.rules.types&typeFraction == 0 {
		return
	}
	p.above, p.below = math.Inf(-1), math.Inf(1)
	for _, b := range number.bounds {
		if b.upper {
			p.below = min(p.below, b.at)
		} else {
			p.above = max(p.above, b.at)
		}
	}
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
func (p *plan) decodeScalar(r *reader, dst reflect.Value) (ok bool) {
	switch p.kind {
	case kindInt:
		var i int64
		i, ok = p.integer(r)
		dst.SetInt(i)
	case kindUint:
		var i int64
		i, ok = p.integer(r)
		dst.SetUint(uint64(i)) //nolint:gosec // low is at least 0
	case kindBool:
		b := r.peek() == 't'
		ok = r.literal(strconv.FormatBool(b)) && p.rules.allowsBool(b)
		dst.SetBool(b)
	case kindFloat:
		var f float64
		f, ok = p.float(r)
		dst.SetFloat(f)
	default: // kindNumber
		var number []byte
		number, ok = r.number()
		ok = ok && (p.free || p.rules.allowsNumber(number))
		dst.SetString(string(number))
	}
	return ok
}

// integer reads an integer that is valid and fits the Go type.
func (p *plan) integer(r *reader) (int64, bool) {
	i, ok := r.integer()
	if !ok || i < p.low || i > p.high || (!p.free && !p.rules.allowsInt(i)) {
		return 0, false
	}
	return i, true
}

// float reads a number that is valid and fits the Go type.
func (p *plan) float(r *reader) (float64, bool) {
	number, f, ok := r.float()
	ok = ok && (p.above < f && f < p.below || p.allowsFloat(number, f))
	if !p.single {
		return f, ok
	}
	f, err := strconv.ParseFloat(string(number), 32)
	return f, ok && err == nil
}

// allowsFloat reports whether a number, of which f is the float64, is known to be valid.
func (p *plan) allowsFloat(number []byte, f float64) bool {
	if p.rules.types&typeFraction == 0 { // only integers
		return p.rules.allowsNumber(number)
	}
	return p.rules.allowsFloat(number, f)
}

// decodeQuoted reads a bool or a number that is written in a string.
func (p *plan) decodeQuoted(r *reader, dst reflect.Value) bool {
	text, ok := r.text()
	if !ok || !p.rules.allowsText(text, &r.matched) {
		return false
	}
	bare := reader{data: text}
	return p.inside.decodeScalar(&bare, dst) && bare.pos == len(text) && text[0] > ' '
}

// decodeText reads a string, or what is written in one.
func (p *plan) decodeText(r *reader, dst reflect.Value) bool {
	if p.kind == kindString {
		s, ok := p.string(r)
		dst.SetString(s)
		return ok
	}
	text, ok := r.text()
	if !ok || (!p.free && !p.rules.allowsText(text, &r.matched)) {
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
	default: // kindText
		return unmarshalText(dst, string(text)) == nil
	}
}

// string reads a string that is valid.
func (p *plan) string(r *reader) (string, bool) {
	text, ok := r.text()
	switch {
	case !ok:
		return "", false
	case p.free:
		return string(text), true
	default:
		return p.rules.chosen(text, &r.matched)
	}
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
		return !null && unmarshalOwn(p.node, dst, bytes.Clone(raw)) == nil
	default:
		v, err := parseStrict(raw)
		if err == nil && v.any != nil {
			dst.Set(reflect.ValueOf(loosen(v.any)))
		}
		return err == nil
	}
}
