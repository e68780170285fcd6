package codec

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

func (p *Plan) encodeInt(dst []byte, i int64) ([]byte, bool) {
	return strconv.AppendInt(dst, i, 10), i >= p.low && i <= p.high && (p.free || p.rules.AllowsInt(i))
}

// encodeScalar appends a value of one of the less frequent scalar kinds.
func (p *Plan) encodeScalar(e *encoder, dst []byte, v reflect.Value) ([]byte, bool) {
	switch p.kind {
	case KindBool:
		b := v.Bool()
		return strconv.AppendBool(dst, b), p.rules.AllowsBool(b)
	case KindUint:
		u := v.Uint()
		if u > math.MaxInt64 {
			return strconv.AppendUint(dst, u, 10), p.free && p.unbounded
		}
		return p.encodeInt(dst, int64(u))
	case KindNumber:
		return p.encodeNumber(e, dst, v.String())
	case KindBytes:
		return p.encodeBytes(e, dst, v)
	case KindTime:
		return p.encodeTime(e, dst, v)
	default: // KindText
		text, err := MarshalText(v)
		if errors.Is(err, errNone) { // an input, which adapters and tests write
			data, _ := json.Marshal(v.Interface())
			return e.appendRaw(dst, data)
		}
		if err != nil {
			return e.cannot(dst, "a value that can be written", problem(err))
		}
		if bad := p.node.exceeded(v, text); bad != nil {
			return e.fail(dst, *bad)
		}
		return p.encodeString(e, dst, text)
	}
}

// encodeNumber appends a json.Number. As in encoding/json, the empty one is 0.
func (p *Plan) encodeNumber(e *encoder, dst []byte, number string) ([]byte, bool) {
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

func (p *Plan) encodeBytes(e *encoder, dst []byte, v reflect.Value) ([]byte, bool) {
	data := v.Bytes()
	if len(data) > e.most-len(dst) {
		e.tooLong = true
		return dst, false
	}
	start := len(dst) + len(`"`)
	dst = base64.StdEncoding.AppendEncode(append(dst, '"'), data)
	return append(dst, '"'), p.fits(len(dst)-start) || p.rules.AllowsWritten(dst[start:], len(dst))
}

func (p *Plan) encodeTime(e *encoder, dst []byte, v reflect.Value) ([]byte, bool) {
	t, _ := reflect.TypeAssert[time.Time](v)
	start := len(dst) + len(`"`)
	out, err := t.AppendText(append(dst, '"'))
	if err != nil {
		return e.cannot(dst, "a time that RFC 3339 can express", "year "+strconv.Itoa(t.Year()))
	}
	return append(out, '"'), p.fits(len(out)-start) || p.rules.AllowsWritten(out[start:], len(out))
}

func (p *Plan) encodeFloat(e *encoder, dst []byte, f float64) ([]byte, bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return e.cannot(dst, "a finite number", strconv.FormatFloat(f, 'g', -1, 64))
	}
	start := len(dst)
	if p.single { // the rules apply to the text, which has fewer digits than f
		dst = rawjson.AppendFloat32(dst, float32(f))
		return dst, p.free || p.rules.AllowsNumber(dst[start:])
	}
	dst = rawjson.AppendFloat(dst, f)
	return dst, p.free || p.allowsFloat(dst[start:], f)
}

// encodeString appends a string.
func (p *Plan) encodeString(e *encoder, dst []byte, s string) ([]byte, bool) {
	if len(s) > e.most-len(dst) {
		e.tooLong = true
		return dst, false
	}
	start := len(dst)
	if rawjson.TextEnd([]byte(s), 0) == len(s) { // valid UTF-8 without escapes
		dst = append(append(rawjson.GrowForString(dst, s), '"'), s...)
		valid := p.fits(len(s)) || p.rules.AllowsWritten(dst[start+len(`"`):], len(dst))
		return append(dst, '"'), valid
	}
	s = rawjson.ValidUTF8(s)
	if p.fits(len(s)) {
		return rawjson.AppendMinimal(dst, s), true
	}
	// The rules apply to the text without escapes, so the text is appended first.
	dst = append(rawjson.GrowForString(dst, s), s...)
	valid := p.rules.AllowsWritten(dst[start:], len(dst))
	return rawjson.AppendMinimal(dst[:start], s), valid
}
