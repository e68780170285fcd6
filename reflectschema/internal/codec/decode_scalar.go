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

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// scalar reads a value of a type that is decoded as a whole: scalars, and any, json.RawMessage and types with JSON
// methods.
func (d *decoder) scalar(n *Node, dst reflect.Value, at jsondoc.Path) {
	switch n.Kind {
	case KindBool:
		if d.expect(rawjson.Bool, "boolean", at) {
			dst.SetBool(d.scan.Value()[0] == 't')
		}
	case KindInt, KindUint, KindFloat, KindNumber:
		name := "integer"
		if n.Kind == KindFloat || n.Kind == KindNumber {
			name = "number"
		}
		if d.expect(rawjson.Number, name, at) {
			d.number(n, dst, string(d.scan.Value()), at)
		}
	case KindString, KindBytes, KindTime, KindText:
		if d.expect(rawjson.String, "string", at) {
			d.text(n, dst, d.string(), at)
		}
	case KindRaw:
		dst.SetBytes(bytes.Clone(d.scan.Value()))
	case KindJSON:
		raw := bytes.Clone(d.scan.Value())
		if err := unmarshalOwn(n, dst, raw, d.memory); err != nil {
			d.misread(n, raw, err, at)
		}
	default: // KindAny
		raw := d.scan.Value()
		if n.GoType.NumMethod() > 0 { // only the program makes its values
			d.fail(at, Violation{Keyword: KeywordDecode, Want: "null", Got: showRaw(raw)})
			return
		}
		if v, err := authority.Parse(raw); err == nil && v.Any != nil {
			loose, size := loosen(v.Any)
			d.memory.Take(size)
			dst.Set(reflect.ValueOf(loose))
		}
	}
}

// text reads the JSON string s.
func (d *decoder) text(n *Node, dst reflect.Value, s string, at jsondoc.Path) {
	switch n.Kind {
	case KindBytes:
		b, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			d.fail(at, Violation{Keyword: "contentEncoding", Want: "base64 with padding", Got: show.Value(s)})
			return
		}
		dst.SetBytes(b)
	case KindTime:
		t, err := authority.ParseTime(s)
		if err != nil {
			d.fail(at, Violation{Keyword: "format", Want: "date-time", Got: authority.WithReason(s, err.Error())})
			return
		}
		takeTime(d.memory, t)
		dst.Set(reflect.ValueOf(t))
	case KindText:
		if err := UnmarshalText(dst, s); err != nil {
			d.fail(at, Violation{Keyword: KeywordDecode, Want: wantOf(n, err), Got: show.Value(s)})
		} else if bad := n.exceeded(dst, s); bad != nil {
			d.fail(at, *bad)
		}
	default:
		dst.SetString(s)
	}
}

// quoted reads a bool, a number or a string with json:",string".
func (d *decoder) quoted(n *Node, dst reflect.Value, at jsondoc.Path) {
	if !d.expect(rawjson.String, "string", at) {
		return
	}
	s := d.string()
	v, err := authority.Parse([]byte(s))
	_, isNumber := v.Any.(json.Number)
	b, isBool := v.Any.(bool)
	inner, isString := v.Any.(string)
	trimmed := strings.TrimSpace(s) == s
	switch {
	case err == nil && trimmed && n.Kind == KindBool && isBool:
		dst.SetBool(b)
	case err == nil && trimmed && n.Kind == KindString && isString:
		dst.SetString(inner)
	case err == nil && trimmed && n.Kind != KindBool && n.Kind != KindString && isNumber:
		d.number(n, dst, s, at)
	case n.Kind == KindBool:
		d.fail(at, Violation{Keyword: KeywordDecode, Want: `"true" or "false"`, Got: show.Value(s)})
	case n.Kind == KindString:
		d.fail(at, Violation{Keyword: KeywordDecode, Want: `JSON of a string in a string, such as "\"a\""`, Got: show.Value(s)})
	default:
		d.fail(at, Violation{Keyword: KeywordDecode, Want: `a number in a string, such as "12"`, Got: show.Value(s)})
	}
}

// number reads the JSON number s.
func (d *decoder) number(n *Node, dst reflect.Value, s string, at jsondoc.Path) {
	switch n.Kind {
	case KindNumber:
		dst.SetString(s)
	case KindFloat:
		f, err := strconv.ParseFloat(s, n.GoType.Bits())
		if err != nil { // out of range: s is a number
			bound := strconv.FormatFloat(math.MaxFloat64, 'g', -1, 64)
			if n.GoType.Bits() == 32 {
				bound = strconv.FormatFloat(math.MaxFloat32, 'g', -1, 32)
			}
			d.outside(s, "-"+bound, bound, at)
			return
		}
		dst.SetFloat(f)
	default:
		i, ok := integer(s)
		switch {
		case !ok:
			d.fail(at, Violation{Keyword: "type", Want: "integer", Got: show.Typed(json.Number(s))})
		case n.Kind == KindInt && i.IsInt64() && !dst.OverflowInt(i.Int64()):
			dst.SetInt(i.Int64())
		case n.Kind == KindUint && i.IsUint64() && !dst.OverflowUint(i.Uint64()):
			dst.SetUint(i.Uint64())
		default:
			low, high := n.Range()
			d.outside(s, low.RatString(), high.RatString(), at)
		}
	}
}

// outside records that s is out of the range of the Go type.
func (d *decoder) outside(s, low, high string, at jsondoc.Path) {
	if strings.HasPrefix(s, "-") {
		d.fail(at, Violation{Keyword: "minimum", Want: low, Got: show.Clip(s, show.MaxText)})
		return
	}
	d.fail(at, Violation{Keyword: "maximum", Want: high, Got: show.Clip(s, show.MaxText)})
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
