package schemacost_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/testing/measured"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// BenchmarkCall measures the schema work of one call: decoding and validating the
// arguments, encoding and validating the result, and making the text block for the
// result.
//
//   - ours: reflectschema, as package mcptool and the runtime use it.
//   - sdk: as in the official Go SDK with github.com/google/jsonschema-go. The
//     arguments are decoded into a map, completed with defaults, validated, encoded, and
//     decoded into the struct; the result is encoded, decoded into a map, and validated;
//     and the envelope is encoded with the text in it.
//   - json: encoding/json alone, without validation.
func BenchmarkCall(b *testing.B) {
	call(b, "Small", measured.NewIn(), measured.NewOut())
	call(b, "Big", measured.NewBig(), measured.NewBig())
}

func call[In, Out any](b *testing.B, name string, in *In, out *Out) {
	b.Helper()
	args, err := json.Marshal(in)
	if err != nil {
		b.Fatal(err)
	}
	inType := compile(b, reflect.TypeFor[In](), reflectschema.DirectionInput)
	outType := compile(b, reflect.TypeFor[Out](), reflectschema.DirectionOutput)
	ways := []struct {
		name string
		call func(buf []byte) ([]byte, error)
	}{
		{"ours", func(buf []byte) ([]byte, error) {
			return ours[In](buf, inType, outType, args, reflect.ValueOf(out).Elem())
		}},
		{"sdk", func([]byte) ([]byte, error) { return sdk[In](resolve(b, inType), resolve(b, outType), args, out) }},
		{"json", func([]byte) ([]byte, error) { return plain[In](args, out) }},
	}
	for _, way := range ways {
		b.Run(name+"/"+way.name, func(b *testing.B) {
			b.ReportAllocs()
			var buf []byte
			for b.Loop() {
				if buf, err = way.call(buf[:0]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func compile(tb testing.TB, t reflect.Type, d reflectschema.Direction) *reflectschema.Type {
	tb.Helper()
	made, err := reflectschema.Compile(t, reflectschema.Options{Direction: d})
	if err != nil {
		tb.Fatal(err)
	}
	return made
}

// resolved holds the other library's schemas, made once like ours.
var resolved = map[*reflectschema.Type]*jsonschema.Resolved{}

// resolve returns the other library's schema of a type, which makes the same checks.
func resolve(tb testing.TB, t *reflectschema.Type) *jsonschema.Resolved {
	tb.Helper()
	if r, ok := resolved[t]; ok {
		return r
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(t.Schema().JSON(), &s); err != nil {
		tb.Fatal(err)
	}
	r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		tb.Fatal(err)
	}
	resolved[t] = r
	return r
}

func ours[In any](buf []byte, inType, outType *reflectschema.Type, args []byte, out reflect.Value) ([]byte, error) {
	var in In
	if err := inType.Decode(args, reflect.ValueOf(&in).Elem()); err != nil {
		return buf, err
	}
	buf = append(buf, `{"structuredContent":`...)
	start := len(buf)
	buf, err := outType.AppendEncode(buf, out)
	if err != nil {
		return buf, err
	}
	end := len(buf)
	buf = append(buf, `,"content":[{"type":"text","text":`...)
	buf = rawjson.AppendQuoted(buf, buf[start:end])
	return append(buf, `}]}`...), nil
}

type result struct {
	Structured json.RawMessage `json:"structuredContent"`
	Content    []block         `json:"content"`
}

type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func sdk[In, Out any](inSchema, outSchema *jsonschema.Resolved, args []byte, out *Out) ([]byte, error) {
	if err := check(inSchema, args); err != nil {
		return nil, err
	}
	var in In
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	if err := check(outSchema, raw); err != nil {
		return nil, err
	}
	return json.Marshal(result{raw, []block{{"text", string(raw)}}})
}

// check validates JSON with the other library, which needs Go maps.
func check(schema *jsonschema.Resolved, data []byte) error {
	v := map[string]any{}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	if err := schema.ApplyDefaults(&v); err != nil {
		return err
	}
	return schema.Validate(&v)
}

func plain[In, Out any](args []byte, out *Out) ([]byte, error) {
	var in In
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	return json.Marshal(result{raw, []block{{"text", string(raw)}}})
}

// TestSame checks that the measured ways are equivalent: they give the same result, and
// those that validate reject the same values.
func TestSame(t *testing.T) {
	inType := compile(t, reflect.TypeFor[measured.In](), reflectschema.DirectionInput)
	outType := compile(t, reflect.TypeFor[measured.Out](), reflectschema.DirectionOutput)
	args, err := json.Marshal(measured.NewIn())
	if err != nil {
		t.Fatal(err)
	}
	if len(args) != 58 {
		t.Errorf("In is %d bytes", len(args))
	}
	out := measured.NewOut()
	one, err := ours[measured.In](nil, inType, outType, args, reflect.ValueOf(out).Elem())
	if err != nil {
		t.Fatal(err)
	}
	two, err := sdk[measured.In](resolve(t, inType), resolve(t, outType), args, out)
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if json.Unmarshal(one, &a) != nil || json.Unmarshal(two, &b) != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("the results differ:\n%s\n%s", one, two)
	}
	for _, wrong := range []string{`{}`, `{"location":"","days":5}`, `{"location":"x","days":15}`, `{"location":"x","days":5,"units":"kelvin"}`, `{"location":"x","days":5,"z":1}`} {
		_, ourErr := ours[measured.In](nil, inType, outType, []byte(wrong), reflect.ValueOf(out).Elem())
		_, sdkErr := sdk[measured.In](resolve(t, inType), resolve(t, outType), []byte(wrong), out)
		if ourErr == nil || sdkErr == nil {
			t.Errorf("%s: %v, %v", wrong, ourErr, sdkErr)
		}
	}
}
