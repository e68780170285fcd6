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
	t, err := reflectschema.Compile(goType, reflectschema.Options{Direction: d})
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

// BenchmarkPlanDecode measures reading arguments: ours with every check, encoding/json
// without any.
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

// BenchmarkPlanResult measures writing a result as a server sends it, the JSON and
// the same JSON once more as text: ours checked and into a buffer that is kept, against
// json.Marshal of the value and then of the result with it.
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
			b.Errorf("that is no JSON: %s", buf)
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

// BenchmarkPlanLinear shows that time and memory follow the size of the input, be it
// valid, wrong once at the end, or wrong all over.
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
						b.Fatal("the answer is too long")
					}
				}
			})
		}
	}
}
