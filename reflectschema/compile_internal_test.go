package reflectschema

import (
	"reflect"
	"strings"
	"testing"
)

// forty returns a struct with forty fields of common types, tagged as such
// structs are; with values in the tags the authority must be asked.
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

// TestCompileAllocs holds the price of a type without values in its tags. To
// compile the authority would cost several times as much.
func TestCompileAllocs(t *testing.T) {
	const budget = 6000
	goType := forty(false)
	allocs := testing.AllocsPerRun(10, func() {
		if _, err := compile(goType, Options{}); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > budget {
		t.Errorf("%.0f allocations for forty fields, want at most %d: is the authority compiled for nothing?", allocs, budget)
	}
}

// BenchmarkCompile measures Compile without its cache: for forty fields that
// describe themselves, and for forty with eight defaults, which the authority
// must judge.
func BenchmarkCompile(b *testing.B) {
	for _, bb := range []struct {
		name   string
		values bool
	}{{"plain", false}, {"defaults", true}} {
		b.Run(bb.name, func(b *testing.B) {
			goType := forty(bb.values)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := compile(goType, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRegister measures what a server with a hundred large tools pays before it
// can serve. Were they types of their own, the cache would keep every round's: each
// is derived anew instead.
func BenchmarkRegister(b *testing.B) {
	const tools = 100
	goType := reflect.TypeFor[registered]()
	b.ReportAllocs()
	for b.Loop() {
		for range tools {
			if _, err := compile(goType, Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// registered is the large type of the other benchmarks: 42 fields, nested, four slices.
type registered struct {
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
	Tags   []string  `json:"tags" jsonschema:"maxItems=100"`
	Scores []float64 `json:"scores"`
	Counts []int64   `json:"counts" jsonschema:"minimum=0"`
	Rows   []struct {
		ID       int      `json:"id" jsonschema:"minimum=1"`
		Title    string   `json:"title" jsonschema:"maxLength=80"`
		Price    float64  `json:"price" jsonschema:"minimum=0"`
		Active   bool     `json:"active"`
		Category string   `json:"category" jsonschema:"enum=book,enum=film,enum=song"`
		Labels   []string `json:"labels"`
	} `json:"rows" jsonschema:"minItems=1"`
	Note  *string `json:"note,omitempty"`
	Owner string  `json:"owner" jsonschema:"pattern=^[a-z]+$"`
}
