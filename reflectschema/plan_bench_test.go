package reflectschema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/jsonwrite"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// The types of the measurements that the plan was designed by: the arguments and the
// result of a small tool, and something large.
type (
	benchIn struct {
		Location string `json:"location" jsonschema:"minLength=1,maxLength=200"`
		Units    string `json:"units,omitempty" jsonschema:"enum=celsius,enum=fahrenheit"`
		Days     int    `json:"days" jsonschema:"minimum=1,maximum=14"`
	}
	benchOut struct {
		Location   string     `json:"location"`
		Conditions string     `json:"conditions" jsonschema:"enum=sunny,enum=cloudy,enum=rain"`
		Days       []benchDay `json:"days" jsonschema:"maxItems=14"`
		Humidity   float64    `json:"humidity" jsonschema:"minimum=0,maximum=1"`
		Stale      bool       `json:"stale"`
	}
	benchDay struct {
		Day  string  `json:"day"`
		High float64 `json:"high" jsonschema:"minimum=-90,maximum=90"`
		Low  float64 `json:"low" jsonschema:"minimum=-90,maximum=90"`
	}
	benchBig struct {
		S1, S2, S3, S4, S5, S6, S7, S8, S9, S10 string  `jsonschema:"maxLength=100"`
		I1, I2, I3, I4, I5, I6, I7, I8, I9, I10 int     `jsonschema:"minimum=0,maximum=1000000"`
		F1, F2, F3, F4, F5, F6, F7, F8          float64 `jsonschema:"minimum=-1000"`
		B1, B2, B3, B4, B5, B6                  bool
		Kind                                    string `json:"kind" jsonschema:"enum=alpha,enum=beta,enum=gamma"`
		Inner                                   struct {
			Name  string `json:"name" jsonschema:"minLength=1"`
			Point struct {
				X, Y, Z float64
			} `json:"point"`
		} `json:"inner"`
		Tags   []string   `json:"tags" jsonschema:"maxItems=100"`
		Scores []float64  `json:"scores"`
		Counts []int64    `json:"counts" jsonschema:"minimum=0"`
		Rows   []benchRow `json:"rows" jsonschema:"minItems=1"`
		Note   *string    `json:"note,omitempty"`
		Owner  string     `json:"owner" jsonschema:"pattern=^[a-z]+$"`
	}
	benchRow struct {
		ID       int      `json:"id" jsonschema:"minimum=1"`
		Title    string   `json:"title" jsonschema:"maxLength=80"`
		Price    float64  `json:"price" jsonschema:"minimum=0"`
		Active   bool     `json:"active"`
		Category string   `json:"category" jsonschema:"enum=book,enum=film,enum=song"`
		Labels   []string `json:"labels"`
		Comment  string   `json:"comment"`
		Size     struct {
			W, H int
		} `json:"size"`
	}
)

var benchInJSON = []byte(`{"location":"Lisbon, Portugal","units":"celsius","days":5}`)

func newBenchOut() *benchOut {
	out := &benchOut{Location: "Lisbon, Portugal", Conditions: "sunny", Humidity: 0.63}
	for i, day := range []string{"2026-11-20", "2026-11-21", "2026-11-22"} {
		out.Days = append(out.Days, benchDay{day, 21.5 + float64(i), 12.25 - float64(i)})
	}
	return out
}

func newBenchBig() *benchBig {
	big := &benchBig{Kind: "beta", Owner: "somebody", Tags: []string{}, Scores: []float64{}}
	v := reflect.ValueOf(big).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			if f.Len() == 0 {
				f.SetString(fmt.Sprintf("some text of field %d, with \"quotes\"", i))
			}
		case reflect.Int:
			f.SetInt(int64(i * 997))
		case reflect.Float64:
			f.SetFloat(float64(i)*3.25 + 0.125)
		case reflect.Bool:
			f.SetBool(i%2 == 0)
		default:
		}
	}
	big.Inner.Name, big.Inner.Point.X = "inner", 1.5
	for i := range 20 {
		big.Tags = append(big.Tags, fmt.Sprintf("tag-%d", i))
		big.Scores = append(big.Scores, float64(i)/8)
		big.Counts = append(big.Counts, int64(i)*123456)
		row := benchRow{ID: i + 1, Title: fmt.Sprintf("The title of row number %d", i), Price: 9.99 + float64(i), Category: "film", Labels: []string{"new", "blue"}}
		row.Comment = strings.Repeat("x", 40)
		row.Size.W, row.Size.H = i, 2*i
		big.Rows = append(big.Rows, row)
	}
	return big
}

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
	benchDecode[benchIn](b, "In", benchInJSON)
	benchDecode[benchBig](b, "Big", jsonOf(b, newBenchBig()))
}

func benchDecode[T any](b *testing.B, name string, data []byte) {
	b.Helper()
	t := compiled(b, reflect.TypeFor[T](), reflectschema.Input)
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
	benchResult(b, "Out", newBenchOut())
	benchResult(b, "Big", newBenchBig())
}

func benchResult[T any](b *testing.B, name string, v *T) {
	b.Helper()
	t := compiled(b, reflect.TypeFor[T](), reflectschema.Output)
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
			buf = jsonwrite.Quoted(buf, buf[start:end])
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
	t := compiled(b, reflect.TypeFor[[]benchRow](), reflectschema.Input)
	row := jsonOf(b, newBenchBig().Rows[0])
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
					var v []benchRow
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
