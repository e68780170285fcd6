package reflectschema_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// These benchmarks measure the cost of schemas for a call: with an argument object of common size, a wrong one, and a
// result; and how it grows with the input.

type (
	weatherIn struct {
		Location string `json:"location" jsonschema:"minLength=1"`
		Unit     string `json:"unit" jsonschema:"enum=celsius,enum=fahrenheit,default=celsius"`
	}
	weatherOut struct {
		Temperature float64  `json:"temperature" jsonschema:"minimum=-90,maximum=60"`
		Conditions  string   `json:"conditions"`
		Humidity    *int     `json:"humidity"`
		Alerts      []string `json:"alerts"`
	}
)

func BenchmarkDecode(b *testing.B) {
	typ := compile[weatherIn](b, reflectschema.DirectionInput)
	data := []byte(`{"location":"Lisbon, Portugal","unit":"celsius"}`)
	var in weatherIn
	dst := reflect.ValueOf(&in).Elem()
	b.ReportAllocs()
	for b.Loop() {
		if err := typ.Decode(data, dst); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeWrong(b *testing.B) {
	typ := compile[weatherIn](b, reflectschema.DirectionInput)
	data := []byte(`{"locaton":"Lisbon, Portugal","unit":"kelvin"}`)
	var in weatherIn
	dst := reflect.ValueOf(&in).Elem()
	b.ReportAllocs()
	for b.Loop() {
		if err := typ.Decode(data, dst); err == nil || err.Error() == "" {
			b.Fatal("no error")
		}
	}
}

func BenchmarkAppendEncode(b *testing.B) {
	typ := compile[weatherOut](b, reflectschema.DirectionOutput)
	out := reflect.ValueOf(weatherOut{Temperature: 21.5, Conditions: "Partly cloudy", Alerts: []string{"wind", "waves"}})
	buf := make([]byte, 0, 512)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := typ.AppendEncode(buf, out); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSize validates and decodes inputs of 1 KB, 100 KB and 10 MB: valid, with a mistake at the end, and with only
// mistakes. MB/s should be constant, and the allocated bytes linear in the input. Building the error text is included.
func BenchmarkSize(b *testing.B) {
	type row struct {
		Name string `json:"name" jsonschema:"minLength=1"`
		Qty  int    `json:"qty" jsonschema:"minimum=1"`
	}
	type table struct {
		Rows []row `json:"rows"`
	}
	typ := compile[table](b, reflectschema.DirectionInput)
	const right, wrong = `{"name":"a name","qty":12}`, `{"name":"","qtty":0.5}`
	for _, size := range []struct {
		name  string
		bytes int
	}{{"1KB", 1 << 10}, {"100KB", 100 << 10}, {"10MB", 10 << 20}} {
		many := size.bytes / len(right)
		for _, input := range []struct{ name, rows string }{
			{"valid", strings.Repeat(right+",", many) + right},
			{"last", strings.Repeat(right+",", many) + wrong},
			{"wrong", strings.Repeat(wrong+",", many) + wrong},
		} {
			data := []byte(`{"rows":[` + input.rows + `]}`)
			sized := func(name string, check func() error) {
				b.Run(name+"/"+input.name+"/"+size.name, func(b *testing.B) {
					b.SetBytes(int64(len(data)))
					b.ReportAllocs()
					for b.Loop() {
						err := check()
						if (err == nil) != (input.name == "valid") {
							b.Fatal(err)
						}
						if err != nil && len(err.Error()) > 2048 {
							b.Fatalf("error text of %d bytes, want at most 2048", len(err.Error()))
						}
					}
				})
			}
			sized("Check", func() error { return typ.Schema().Check(data) })
			sized("Decode", func() error {
				var v table
				return typ.Decode(data, reflect.ValueOf(&v).Elem())
			})
		}
	}
}
