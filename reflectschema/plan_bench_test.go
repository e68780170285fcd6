package reflectschema_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/testing/measured"
	"github.com/mcptool-go/mcptool/reflectschema"
)

var benchInJSON = []byte(`{"location":"Lisbon, Portugal","units":"celsius","days":5}`)

func compiled(tb testing.TB, goType reflect.Type, d reflectschema.Direction) *reflectschema.Type {
	tb.Helper()
	t, err := reflectschema.Compile(goType, d)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func jsonOf(tb testing.TB, v any) []byte {
	tb.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// BenchmarkPlanDecode measures decoding of arguments with full validation, and encoding/json without any.
func BenchmarkPlanDecode(b *testing.B) {
	benchDecode[measured.In](b, "In", benchInJSON)
	benchDecode[measured.Big](b, "Big", jsonOf(b, measured.NewBig()))
	benchDecode[prose](b, "Prose", jsonOf(b, newProse()))
}

// prose is a text of 64 KB with a line break and a quote in each line.
type prose struct {
	Text string `json:"text" jsonschema:"maxLength=100000"`
}

func newProse() *prose {
	const line = "The note says \"second floor, ask for Mr. Sørensen\", and has no telephone number.\n"
	return &prose{strings.Repeat(line, 64<<10/len(line))}
}

func benchDecode[T any](b *testing.B, name string, data []byte) {
	b.Helper()
	t := compiled(b, reflect.TypeFor[T](), reflectschema.DirectionInput)
	b.Run(name+"/checked", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			var v T
			if err := t.Decode(data, reflect.ValueOf(&v).Elem()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run(name+"/encodingjson", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			var v T
			if err := json.Unmarshal(data, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkPlanResult measures encoding of a result as a server sends it: the JSON, and the same JSON as text.
// Validated and into a reused buffer, compared with json.Marshal of the value and then of the result.
func BenchmarkPlanResult(b *testing.B) {
	benchResult(b, "Out", measured.NewOut())
	benchResult(b, "Big", measured.NewBig())
	benchResult(b, "Prose", newProse())
}

func benchResult[T any](b *testing.B, name string, v *T) {
	b.Helper()
	t := compiled(b, reflect.TypeFor[T](), reflectschema.DirectionOutput)
	b.Run(name+"/checked", func(b *testing.B) {
		b.ReportAllocs()
		var buf []byte
		for b.Loop() {
			var err error
			buf = append(buf[:0], `{"structuredContent":`...)
			start := len(buf)
			if buf, err = t.AppendEncode(buf, reflect.ValueOf(v).Elem()); err != nil {
				b.Fatal(err)
			}
			end := len(buf)
			buf = append(buf, `,"content":[{"type":"text","text":`...)
			buf = rawjson.AppendQuoted(buf, buf[start:end])
			buf = append(buf, "}]}"...)
		}
		b.SetBytes(int64(len(buf)))
		if !json.Valid(buf) || bytes.Count(buf, []byte("\n")) > 0 {
			b.Errorf("invalid JSON: %s", buf)
		}
	})
	type block struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	type result struct {
		Structured json.RawMessage `json:"structuredContent"`
		Content    []block         `json:"content"`
	}
	b.Run(name+"/encodingjson", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			raw, err := json.Marshal(v)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := json.Marshal(result{raw, []block{{"text", string(raw)}}}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkPlanLinear shows that time and memory are linear in the input: valid, with one mistake at the end, or with
// only mistakes.
func BenchmarkPlanLinear(b *testing.B) {
	t := compiled(b, reflect.TypeFor[[]measured.Row](), reflectschema.DirectionInput)
	row := jsonOf(b, measured.NewBig().Rows[0])
	wrong := bytes.Replace(row, []byte(`"film"`), []byte(`"flim"`), 1)
	for _, size := range []struct {
		name  string
		bytes int
	}{{"1KB", 1 << 10}, {"100KB", 100 << 10}, {"10MB", 10 << 20}} {
		n := size.bytes / len(row)
		for _, kind := range []struct {
			name       string
			rest, last []byte
		}{{"valid", row, row}, {"wrongOnce", row, wrong}, {"wrongAllOver", wrong, wrong}} {
			rows := slices.Repeat([][]byte{kind.rest}, n)
			rows[n-1] = kind.last
			data := slices.Concat([]byte("["), bytes.Join(rows, []byte(",")), []byte("]"))
			b.Run(kind.name+"/"+size.name, func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					var v []measured.Row
					err := t.Decode(data, reflect.ValueOf(&v).Elem())
					if (err == nil) != (kind.name == "valid") {
						b.Fatal(err)
					}
					if err != nil && len(err.Error()) > 2048 {
						b.Fatal("the error text is too long")
					}
				}
			})
		}
	}
}

// unionDocument returns a schema of drawing with a handwritten union.
func unionDocument(keyword string) []byte {
	return []byte(`{"type":"object","properties":{"shape":{"` + keyword + `":[` +
		`{"type":"object","properties":{"type":{"type":"string","const":"circle"},"radius":{"type":"number","exclusiveMinimum":0},"fill":{"type":"string","enum":["red","blue"],"default":"red"}},"required":["type","radius"],"additionalProperties":false},` +
		`{"type":"object","properties":{"type":{"type":"string","const":"group"},"shapes":{"type":"array","items":{}}},"required":["type","shapes"],"additionalProperties":false},` +
		`{"type":"object","properties":{"type":{"type":"string","const":"span"},"from":{"type":"integer"},"to":{"type":"integer"}},"required":["type"],"additionalProperties":false},` +
		`{"type":"object","properties":{"type":{"type":"string","const":"square"},"side":{"type":"number","exclusiveMinimum":0},"tilt":{"type":"integer"}},"required":["type","side"],"additionalProperties":false}` +
		`]}},"required":["shape"],"additionalProperties":false}`)
}

// BenchmarkPlanUnion measures a union in the schema of the Go type, and in handwritten schemas with both keywords.
func BenchmarkPlanUnion(b *testing.B) {
	run := func(name string, run func(data []byte) error, data string, valid bool) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := run([]byte(data)); (err == nil) != valid {
					b.Fatal(err)
				}
			}
		})
	}
	const (
		first = `{"shape":{"type":"square","side":2,"tilt":5}}`
		last  = `{"shape":{"side":2,"tilt":5,"type":"square"}}`
		wrong = `{"shape":{"type":"sqare","side":2}}`
		expr  = `{"value":{"op":"and","args":[{"op":"or","args":[{"op":"num","value":1},{"op":"num","value":2}]},{"op":"not","args":[{"op":"num","value":3}]}]}}`
	)
	drawn := compiled(b, reflect.TypeFor[drawing](), reflectschema.DirectionInput)
	draw := func(data []byte) error {
		var v drawing
		return drawn.Decode(data, reflect.ValueOf(&v).Elem())
	}
	run("typed/first", draw, first, true)
	run("typed/last", draw, last, true)
	run("typed/wrong", draw, wrong, false)
	beeping := compiled(b, reflect.TypeFor[Box[Sound]](), reflectschema.DirectionInput)
	run("inline/first", func(data []byte) error {
		var v Box[Sound]
		return beeping.Decode(data, reflect.ValueOf(&v).Elem())
	}, `{"value":{"a kind":"beep","hertz":440}}`, true)
	exprType := compiled(b, reflect.TypeFor[Box[Expr]](), reflectschema.DirectionInput)
	run("typed/nested", func(data []byte) error {
		var v Box[Expr]
		return exprType.Decode(data, reflect.ValueOf(&v).Elem())
	}, expr, true)
	encoded := reflect.ValueOf(drawing{&Square{Side: 2, Tilt: ptr(5)}})
	output := compiled(b, reflect.TypeFor[drawing](), reflectschema.DirectionOutput)
	b.Run("typed/encode", func(b *testing.B) {
		b.ReportAllocs()
		var buf []byte
		for b.Loop() {
			var err error
			if buf, err = output.AppendEncode(buf[:0], encoded); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, keyword := range []string{"oneOf", "anyOf"} {
		s, err := reflectschema.ParseSchema(unionDocument(keyword))
		if err != nil {
			b.Fatal(err)
		}
		run(keyword+"/first", s.Check, first, true)
		run(keyword+"/last", s.Check, last, true)
		run(keyword+"/wrong", s.Check, wrong, false)
	}
}
