package reflectschema

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// scalar appends a value that is neither an array nor an object to us.
func (e *encoder) scalar(n *node, v reflect.Value, at jsondoc.Path) error {
	if n.quoted {
		e.out = append(e.out, '"')
		defer func() { e.out = append(e.out, '"') }()
	}
	switch n.kind {
	case kindBool:
		e.out = strconv.AppendBool(e.out, v.Bool())
	case kindInt:
		e.out = strconv.AppendInt(e.out, v.Int(), 10)
	case kindUint:
		e.out = strconv.AppendUint(e.out, v.Uint(), 10)
	case kindFloat:
		f := v.Float()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return cannot(at, "a finite number", strconv.FormatFloat(f, 'g', -1, 64))
		}
		e.out = jsontext.AppendFloat(e.out, f, n.goType.Bits())
	case kindString:
		e.out = jsondoc.AppendString(e.out, v.String())
	case kindBytes:
		e.out = append(e.out, '"')
		e.out = base64.StdEncoding.AppendEncode(e.out, v.Bytes())
		e.out = append(e.out, '"')
	case kindNumber:
		return e.number(v.String(), at)
	case kindRaw:
		if v.Len() == 0 {
			e.out = append(e.out, "null"...)
			return nil
		}
		return e.raw(v.Bytes(), at)
	default:
		return e.marshaled(n, v, at)
	}
	return nil
}

// number appends a json.Number; the empty one is 0, as in encoding/json.
func (e *encoder) number(s string, at jsondoc.Path) error {
	if s == "" {
		s = "0"
	}
	v, err := parseStrict([]byte(s))
	if _, ok := v.Any.(json.Number); err != nil || !ok || strings.TrimSpace(s) != s {
		return cannot(at, "a number", show.Quote(s, show.MaxText))
	}
	e.out = append(e.out, s...)
	return nil
}

// marshaled appends what a type makes of itself.
func (e *encoder) marshaled(n *node, v reflect.Value, at jsondoc.Path) error {
	switch n.kind {
	case kindTime:
		t, _ := v.Interface().(time.Time)
		b, err := t.MarshalJSON()
		if err != nil {
			return cannot(at, "a time that RFC 3339 can express", "year "+strconv.Itoa(t.Year()))
		}
		e.out = append(e.out, b...)
		return nil
	case kindText:
		text, err := marshalText(v)
		if err != nil {
			return cannot(at, "a value that can be written", problem(n, err))
		}
		e.out = jsondoc.AppendString(e.out, text)
		return nil
	default:
		data, err := marshalOwn(n, v)
		if err != nil {
			return cannot(at, "a value that can be written", problem(n, err))
		}
		return e.raw(data, at)
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
