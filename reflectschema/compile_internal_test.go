package reflectschema

import (
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/measured"
)

// forty returns a struct with forty fields of common types and tags. With values, some tags have values that the
// authority must check.
func forty(values bool) reflect.Type {
	common := []struct {
		goType reflect.Type
		tag    reflect.StructTag
	}{
		{reflect.TypeFor[string](), `jsonschema:"minLength=1,maxLength=80" doc:"A name, as printed"`},
		{reflect.TypeFor[int](), `jsonschema:"minimum=0,maximum=100"`},
		{reflect.TypeFor[[]string](), `jsonschema:"maxItems=5,pattern=^[a-z]+$"`},
		{reflect.TypeFor[*float64](), ``},
		{reflect.TypeFor[map[string]int](), `jsonschema:"maxProperties=5"`},
	}
	if values {
		common[1].tag = `jsonschema:"minimum=0,maximum=100,default=5"`
	}
	fields := make([]reflect.StructField, 40)
	for i := range fields {
		c := common[i%len(common)]
		fields[i] = reflect.StructField{Name: "F" + strings.Repeat("x", i), Type: c.goType, Tag: c.tag}
	}
	return reflect.StructOf(fields)
}

// BenchmarkCompile measures Compile without its cache: for forty fields, for forty fields with eight defaults to check,
// and for deeply nested types.
func BenchmarkCompile(b *testing.B) {
	for _, bb := range []struct {
		name   string
		goType reflect.Type
	}{{"plain", forty(false)}, {"defaults", forty(true)}, {"30 levels", nested(30)}, {"100 levels", nested(100)}} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := compile(bb.goType, usage{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRegister measures the startup cost of a server with a hundred large tools. Each is derived anew, as the
// cache would keep distinct types of every iteration.
func BenchmarkRegister(b *testing.B) {
	const tools = 100
	goType := reflect.TypeFor[measured.Big]()
	b.ReportAllocs()
	for b.Loop() {
		for range tools {
			if _, err := compile(goType, usage{}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// nested returns a struct with the given levels of nested structs.
func nested(levels int) reflect.Type {
	t := reflect.TypeFor[string]()
	for range levels {
		t = reflect.StructOf([]reflect.StructField{{Name: "Inner", Type: t, Tag: `doc:"What is inside"`}, {Name: "N", Type: reflect.TypeFor[int]()}})
	}
	return t
}
