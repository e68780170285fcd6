package reflectschema_test

import (
	"reflect"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// What a call pays for its schemas today, when every value goes the slow way:
// an argument object of the usual size, one that is wrong, and a result.

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
	typ := compile[weatherIn](b, reflectschema.Input)
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
	typ := compile[weatherIn](b, reflectschema.Input)
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
	typ := compile[weatherOut](b, reflectschema.Output)
	out := reflect.ValueOf(weatherOut{Temperature: 21.5, Conditions: "Partly cloudy", Alerts: []string{"wind", "waves"}})
	buf := make([]byte, 0, 512)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := typ.AppendEncode(buf, out); err != nil {
			b.Fatal(err)
		}
	}
}
