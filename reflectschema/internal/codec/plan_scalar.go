package codec

import (
	"bytes"
	"encoding/base64"
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// limitNumber sets the limits of a number, from the rules and the Go type.
func (p *Plan) limitNumber() {
	number := &p.rules.Number
	p.free = p.rules.Choice == nil && number.Unit.Value == 0
	if p.kind == KindFloat || p.kind == KindNumber {
		p.free = p.free && number.Bounds == nil && p.rules.Types&jsondoc.TypeFraction != 0
		p.single = p.kind == KindFloat && p.node.GoType.Bits() == 32
		return
	}
	p.low, p.high = limitsOf(p.node)
	p.unbounded = number.Bounds == nil || number.Above
	if number.Bounds != nil {
		p.low, p.high = max(p.low, number.Low), min(p.high, number.High)
	}
}

// limitsOf returns the minimum and maximum of an integer type, within int64.
func limitsOf(n *Node) (low, high int64) {
	switch n.Kind {
	case KindInt:
		high = math.MaxInt64 >> (64 - n.GoType.Bits())
		return -high - 1, high
	case KindUint:
		if n.GoType.Bits() == 64 {
			return 0, math.MaxInt64
		}
		return 0, 1<<n.GoType.Bits() - 1
	default:
		return 0, 0
	}
}

// limitText sets the limits of a string, or of a value that is written as a string, from the rules.
func (p *Plan) limitText() {
	p.low, p.high = p.rules.Text.Lengths()
	p.free = p.rules.Choice == nil && p.low <= p.high
}

// fits reports whether all strings of n bytes are valid.
func (p *Plan) fits(n int) bool { return p.free && int64(n) >= p.low && int64(n) <= p.high }

// decodeScalar reads a bool or a number.
func (p *Plan) decodeScalar(r *rules.Reader, dst reflect.Value) (ok bool) {
	switch p.kind {
	case KindInt:
		var i int64
		i, ok = p.integer(r)
		dst.SetInt(i)
	case KindUint:
		var i int64
		i, ok = p.integer(r)
		dst.SetUint(uint64(i)) //nolint:gosec // low is at least 0
	case KindBool:
		b := r.Peek() == 't'
		ok = r.Literal(strconv.FormatBool(b)) && p.rules.AllowsBool(b)
		dst.SetBool(b)
	case KindFloat:
		var f float64
		f, ok = p.float(r)
		dst.SetFloat(f)
	default: // KindNumber
		var number []byte
		number, ok = r.Number()
		ok = ok && (p.free || p.rules.AllowsNumber(number))
		dst.SetString(string(number))
	}
	return ok
}

// integer reads an integer that is valid and fits the Go type.
func (p *Plan) integer(r *rules.Reader) (int64, bool) {
	i, ok := r.Integer()
	if !ok || i < p.low || i > p.high || (!p.free && !p.rules.AllowsInt(i)) {
		return 0, false
	}
	return i, true
}

// float reads a number that is valid and fits the Go type.
func (p *Plan) float(r *rules.Reader) (float64, bool) {
	number, f, ok := r.Float()
	ok = ok && (p.free || p.allowsFloat(number, f))
	if !p.single {
		return f, ok
	}
	f, err := strconv.ParseFloat(string(number), 32)
	return f, ok && err == nil
}

// allowsFloat reports whether a number with the float64 value f is known to be valid.
func (p *Plan) allowsFloat(number []byte, f float64) bool {
	if p.rules.Types&jsondoc.TypeFraction == 0 { // only integers
		return p.rules.AllowsNumber(number)
	}
	return p.rules.AllowsFloat(number, f)
}

// decodeQuoted decodes a bool, a number or a string whose JSON is in a string.
func (p *Plan) decodeQuoted(r *rules.Reader, dst reflect.Value) bool {
	text, ok := r.Text()
	if !ok || !p.rules.AllowsText(text, &r.Matched) {
		return false
	}
	bare := rules.Reader{Data: text}
	decode := p.inside.decodeScalar
	if p.kind == KindString {
		decode = p.inside.decodeText
	}
	return decode(&bare, dst) && bare.Pos == len(text) && text[0] > ' '
}

// decodeText decodes a string, or a value that is written as a string.
func (p *Plan) decodeText(r *rules.Reader, dst reflect.Value) bool {
	if p.kind == KindString {
		s, ok := p.string(r)
		dst.SetString(s)
		return ok
	}
	text, ok := r.Text()
	if !ok || (!p.fits(len(text)) && !p.rules.AllowsText(text, &r.Matched)) {
		return false
	}
	switch p.kind {
	case KindBytes:
		b := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
		n, err := base64.StdEncoding.Decode(b, text)
		dst.SetBytes(b[:n])
		return err == nil
	case KindTime:
		var t time.Time
		err := t.UnmarshalText(text)
		dst.Set(reflect.ValueOf(t))
		return err == nil && takeTime(&r.Memory, t)
	default: // KindText
		return UnmarshalText(dst, string(text)) == nil && p.node.exceeded(dst, "") == nil
	}
}

// string reads a valid string.
func (p *Plan) string(r *rules.Reader) (string, bool) {
	text, ok := r.Text()
	switch {
	case !ok:
		return "", false
	case p.fits(len(text)):
		return string(text), true
	default:
		return p.rules.Chosen(text, &r.Matched)
	}
}

// decodeAnything checks a value, and then decodes it into an interface, a RawMessage or a type with UnmarshalJSON.
func (p *Plan) decodeAnything(r *rules.Reader, dst reflect.Value) bool {
	null := r.Peek() == 'n'
	start := r.Pos
	if null && (!p.null || !r.Literal("null")) || !null && !p.rules.Check(r) {
		return false
	}
	raw := r.Data[start:r.Pos]
	switch p.kind {
	case KindRaw:
		dst.SetBytes(bytes.Clone(raw))
		return true
	case KindJSON: // null may mean that an optional member is absent
		return !null && unmarshalOwn(p.node, dst, bytes.Clone(raw), &r.Memory) == nil
	default:
		v, err := authority.Parse(raw)
		if err == nil && v.Any != nil {
			if p.node.GoType.NumMethod() > 0 {
				return false
			}
			loose, size := loosen(v.Any)
			dst.Set(reflect.ValueOf(loose))
			return r.Memory.Take(size)
		}
		return err == nil
	}
}
