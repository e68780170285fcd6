package codec

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
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
func (p *Plan) decodeScalar(r *reader, dst reflect.Value) (ok bool) {
	start := r.Pos
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
	if ok || r.collect == nil {
		return ok
	}
	r.Pos = start
	return r.number(p.node, dst, string(r.Value()))
}

// number decodes the JSON number s: in an unusual spelling, or one that the Go type cannot hold.
func (r *reader) number(n *Node, dst reflect.Value, s string) bool {
	if n.Kind == KindFloat {
		f, err := strconv.ParseFloat(s, n.GoType.Bits())
		if err != nil { // out of range: s is a number
			bound := strconv.FormatFloat(math.MaxFloat64, 'g', -1, 64)
			if n.GoType.Bits() == 32 {
				bound = strconv.FormatFloat(math.MaxFloat32, 'g', -1, 32)
			}
			return r.outside(s, "-"+bound, bound)
		}
		dst.SetFloat(f)
		return true
	}
	i, ok := integer(s)
	switch {
	case !ok:
		return r.refuse(Violation{Keyword: "type", Want: "integer", Got: show.Typed(json.Number(s))})
	case n.Kind == KindInt && i.IsInt64() && !dst.OverflowInt(i.Int64()):
		dst.SetInt(i.Int64())
	case n.Kind == KindUint && i.IsUint64() && !dst.OverflowUint(i.Uint64()):
		dst.SetUint(i.Uint64())
	default:
		low, high := n.Range()
		return r.outside(s, low.RatString(), high.RatString())
	}
	return true
}

// outside records that the number s is out of the range of the Go type.
func (r *reader) outside(s, low, high string) bool {
	if strings.HasPrefix(s, "-") {
		return r.refuse(Violation{Keyword: "minimum", Want: low, Got: show.Clip(s, show.MaxText)})
	}
	return r.refuse(Violation{Keyword: "maximum", Want: high, Got: show.Clip(s, show.MaxText)})
}

// integer returns the value of the JSON number s if it is an integer, also as 3.0 or 1e2.
func integer(s string) (*big.Int, bool) {
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return big.NewInt(i), true
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok || !r.IsInt() {
		return nil, false
	}
	return r.Num(), true
}

// integer reads an integer that is valid and fits the Go type.
func (p *Plan) integer(r *reader) (int64, bool) {
	i, ok := r.Integer()
	if !ok || i < p.low || i > p.high || (!p.free && !p.rules.AllowsInt(i)) {
		return 0, false
	}
	return i, true
}

// float reads a number that is valid and fits the Go type.
func (p *Plan) float(r *reader) (float64, bool) {
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
func (p *Plan) decodeQuoted(r *reader, dst reflect.Value) bool {
	text, ok := r.Text()
	if !ok || !p.rules.AllowsText(text, &r.Matched) {
		return false
	}
	bare := reader{Reader: rules.Reader{Data: text}}
	if p.inside.decode(&bare, dst) && bare.Pos == len(text) && text[0] > ' ' {
		return true
	}
	want := `a number in a string, such as "12"`
	switch p.kind {
	case KindBool:
		want = `"true" or "false"`
	case KindString:
		want = `JSON of a string in a string, such as "\"a\""`
	default:
		bare.Pos = 0
		if number, ok := bare.Number(); ok && len(number) == len(text) {
			return r.collect != nil && r.number(p.node, dst, string(text))
		}
	}
	return r.refuse(Violation{Keyword: KeywordDecode, Want: want, Got: show.Value(string(text))})
}

// decodeText decodes a string, or a value that is written as a string.
func (p *Plan) decodeText(r *reader, dst reflect.Value) bool {
	text, ok := r.Text()
	switch {
	case !ok:
		return false
	case p.fits(len(text)):
	case p.kind == KindString:
		s, ok := p.rules.Chosen(text, &r.Matched) // a value of an enum is not allocated
		dst.SetString(s)
		return ok
	case !p.rules.AllowsText(text, &r.Matched):
		return false
	}
	switch p.kind {
	case KindString:
		dst.SetString(string(text))
		return true
	case KindBytes:
		b := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
		n, err := base64.StdEncoding.Decode(b, text)
		dst.SetBytes(b[:n])
		return err == nil || r.refuse(Violation{Keyword: "contentEncoding", Want: "base64 with padding", Got: show.Value(string(text))})
	case KindTime:
		return r.time(dst, text)
	default: // KindText
		s := string(text)
		if err := UnmarshalText(dst, s); err != nil {
			return r.refuse(Violation{Keyword: KeywordDecode, Want: wantOf(p.node, err), Got: show.Value(s)})
		}
		bad := p.node.exceeded(dst, s)
		return bad == nil || r.refuse(*bad)
	}
}

// time decodes a date and time. Without a collector, it does not decode the letters T and Z in lower case.
func (r *reader) time(dst reflect.Value, text []byte) bool {
	var t time.Time
	err := t.UnmarshalText(text)
	if r.collect != nil {
		t, err = authority.ParseTime(string(text))
	}
	if err != nil {
		return r.refuse(Violation{Keyword: "format", Want: "date-time", Got: authority.WithReason(string(text), err.Error())})
	}
	dst.Set(reflect.ValueOf(t))
	return takeTime(&r.Memory, t)
}

// decodeAnything checks a value, and then decodes it into an interface, a RawMessage or a type with UnmarshalJSON.
func (p *Plan) decodeAnything(r *reader, dst reflect.Value) bool {
	null := r.Peek() == 'n'
	start := r.Pos
	switch {
	case r.collect != nil:
		r.Value()
	case null && (!p.null || !r.Literal("null")), !null && !p.rules.Check(&r.Reader):
		return false
	}
	raw := r.Data[start:r.Pos]
	switch p.kind {
	case KindRaw:
		dst.SetBytes(bytes.Clone(raw))
		return true
	case KindJSON:
		if null && r.collect == nil {
			return false // an optional member may be absent
		}
		raw = bytes.Clone(raw)
		err := unmarshalOwn(p.node, dst, raw, &r.Memory)
		return err == nil || r.misread(p.node, raw, err)
	default:
		if p.node.GoType.NumMethod() > 0 { // only the program makes its values
			return r.refuse(Violation{Keyword: KeywordDecode, Want: "null", Got: showRaw(raw)})
		}
		v, err := authority.Parse(raw)
		if err != nil || v.Any == nil {
			return err == nil
		}
		loose, size := loosen(v.Any)
		dst.Set(reflect.ValueOf(loose))
		return r.Memory.Take(size)
	}
}

// loosen converts the numbers in v to float64, as encoding/json does, except those that float64 would round. It also
// returns the memory of the value in bytes, without the bytes of its strings.
func loosen(v any) (loose any, size int) {
	switch v := v.(type) {
	case json.Number:
		return loosenNumber(v)
	case string:
		return v, textSize
	case []any:
		size = elementsSize + len(v)*textSize
		for i := range v {
			var inner int
			v[i], inner = loosen(v[i])
			size += inner
		}
		return v, size
	case map[string]any:
		size = mapSize + anyEntries(len(v))*2*textSize
		for name := range v {
			var inner int
			v[name], inner = loosen(v[name])
			size += inner
		}
		return v, size
	default:
		return v, 0
	}
}

func loosenNumber(n json.Number) (loose any, size int) {
	f, err := n.Float64()
	if err != nil {
		return n, textSize
	}
	kept := authority.AppendDecimal(nil, strconv.FormatFloat(f, 'g', -1, 64))
	if !bytes.Equal(kept, authority.AppendDecimal(nil, string(n))) {
		return n, textSize
	}
	return f, numberSize
}
