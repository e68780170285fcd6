package reflectschema

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

func (p *plan) encodeInt(dst []byte, i int64) ([]byte, bool) {
	return strconv.AppendInt(dst, i, 10), i >= p.low && i <= p.high && (p.free || p.rules.AllowsInt(i))
}

// encodeScalar appends a value of one of the less frequent scalar kinds.
func (p *plan) encodeScalar(e *encoder, dst []byte, v reflect.Value) ([]byte, bool) {
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
	case kindNumber:
		return p.encodeNumber(e, dst, v.String())
	case kindBytes:
		return p.encodeBytes(e, dst, v)
	case kindTime:
		return p.encodeTime(e, dst, v)
	default: // kindText
		text, err := marshalText(v)
		if err != nil {
			return e.cannot(dst, "a value that can be written", problem(p.node, err))
		}
		return p.encodeString(e, dst, text)
	}
}

// encodeNumber appends a json.Number. As in encoding/json, the empty one is 0.
func (p *plan) encodeNumber(e *encoder, dst []byte, number string) ([]byte, bool) {
	if number == "" {
		number = "0"
	}
	start := len(dst)
	dst = append(dst, number...)
	r := rules.Reader{Data: dst[start:]}
	if _, ok := r.Number(); !ok || r.Pos < len(number) || number[0] <= ' ' {
		return e.cannot(dst[:start], "a number", show.Quote(number, show.MaxText))
	}
	return dst, p.free || p.rules.AllowsNumber(r.Data)
}

func (p *plan) encodeBytes(e *encoder, dst []byte, v reflect.Value) ([]byte, bool) {
	data := v.Bytes()
	if len(data) > e.most-len(dst) {
		e.tooLong = true
		return dst, false
	}
	start := len(dst) + len(`"`)
	dst = base64.StdEncoding.AppendEncode(append(dst, '"'), data)
	return append(dst, '"'), p.free || p.rules.AllowsWritten(dst[start:], len(dst))
}

func (p *plan) encodeTime(e *encoder, dst []byte, v reflect.Value) ([]byte, bool) {
	t, _ := reflect.TypeAssert[time.Time](v)
	start := len(dst) + len(`"`)
	out, err := t.AppendText(append(dst, '"'))
	if err != nil {
		return e.cannot(dst, "a time that RFC 3339 can express", "year "+strconv.Itoa(t.Year()))
	}
	return append(out, '"'), p.free || p.rules.AllowsWritten(out[start:], len(out))
}

func (p *plan) encodeFloat(e *encoder, dst []byte, f float64) ([]byte, bool) {
	if p.single {
		return p.encodeSingle(e, dst, f)
	}
	start := len(dst)
	dst = appendFloat(dst, f)
	if p.above < f && f < p.below {
		return dst, true
	}
	if !isFinite(f) {
		return e.cannotFloat(dst[:start], f)
	}
	return dst, p.allowsFloat(dst[start:], f)
}

// encodeSingle is encodeFloat for a float32. The rules apply to the text, which has fewer digits than f as a float64.
func (p *plan) encodeSingle(e *encoder, dst []byte, f float64) ([]byte, bool) {
	if !isFinite(f) {
		return e.cannotFloat(dst, f)
	}
	start := len(dst)
	if isWhole(f, 1<<24) {
		dst = strconv.AppendInt(dst, int64(f), 10)
	} else {
		dst = jsontext.AppendFloat(dst, f, 32)
	}
	return dst, p.free || p.rules.AllowsNumber(dst[start:])
}

// cannotFloat is cannot for a number that is not finite.
func (e *encoder) cannotFloat(dst []byte, f float64) ([]byte, bool) {
	return e.cannot(dst, "a finite number", strconv.FormatFloat(f, 'g', -1, 64))
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// isWhole reports whether f is a whole number nearer to 0 than limit, and not -0.
func isWhole(f, limit float64) bool {
	return math.Abs(f) < limit && f == math.Trunc(f) && (f != 0 || !math.Signbit(f))
}

// appendFloat appends a float as jsontext does. Most floats that people write have few
// digits, of which at most three stand behind the point: if f is the one nearest to such a
// number of at most 15 digits, then that is its shortest form.
func appendFloat(dst []byte, f float64) []byte {
	if abs := math.Abs(f); abs < 1e12 {
		i := uint64(abs*1000 + 0.5)
		if float64(i)/1000 == abs && (i > 0 || !math.Signbit(f)) {
			return appendThousandths(dst, i, f < 0)
		}
	} else if isWhole(f, 1e15) {
		return strconv.AppendInt(dst, int64(f), 10)
	}
	return jsontext.AppendFloat(dst, f, 64)
}

// appendThousandths appends value / 1000, with a sign.
func appendThousandths(dst []byte, value uint64, negative bool) []byte {
	if negative {
		dst = append(dst, '-')
	}
	whole, rest := value/1000, value%1000
	if whole < 10 { // one of two cases that need no call
		dst = append(dst, byte('0'+whole))
	} else if whole < 100 {
		dst = append(dst, byte('0'+whole/10), byte('0'+whole%10))
	} else {
		dst = strconv.AppendUint(dst, whole, 10)
	}
	if rest == 0 {
		return dst
	}
	tenths, hundredths, thousandths := byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10)
	switch {
	case thousandths != '0':
		return append(dst, '.', tenths, hundredths, thousandths)
	case hundredths != '0':
		return append(dst, '.', tenths, hundredths)
	default:
		return append(dst, '.', tenths)
	}
}

// methodsOf returns v, or what is needed to call pointer methods on it.
func methodsOf(v reflect.Value, iface reflect.Type) any {
	switch {
	case v.Type().Implements(iface):
		return v.Interface()
	default:
		return addressOf(v).Interface()
	}
}

func marshalText(v reflect.Value) (string, error) {
	m, ok := methodsOf(v, textMarshaler).(encoding.TextMarshaler)
	if !ok {
		return "", errNone
	}
	var text []byte
	err := contain(func() (err error) {
		text, err = m.MarshalText()
		return err
	})
	return string(text), err
}

func marshalJSON(v reflect.Value) ([]byte, error) {
	m, ok := methodsOf(v, jsonMarshaler).(json.Marshaler)
	if !ok {
		return nil, errNone
	}
	var data []byte
	err := contain(func() (err error) {
		data, err = m.MarshalJSON()
		return err
	})
	return data, err
}

// problem says why a user's type could not write itself, in its own words unless
// they talk of Go.
func problem(n *node, err error) string {
	if words, ok := plainWords(n, err); ok {
		return "an error: " + words
	}
	return "an error"
}
