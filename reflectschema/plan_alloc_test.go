package reflectschema_test

import (
	"reflect"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/measured"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// TestPlanAllocations limits the allocations of a call: the arguments and one string that is not in the schema, and
// none for the result.
func TestPlanAllocations(t *testing.T) {
	if underRace {
		t.Skip("regular expressions allocate at random then")
	}
	in := compiled(t, reflect.TypeFor[measured.In](), reflectschema.DirectionInput)
	if n := testing.AllocsPerRun(100, func() {
		var v measured.In
		if err := in.Decode(benchInJSON, reflect.ValueOf(&v).Elem()); err != nil {
			t.Fatal(err)
		}
	}); n > 2 {
		t.Errorf("decoding In makes %v allocations, want at most 2", n)
	}
	for _, v := range []any{measured.NewOut(), measured.NewBig()} {
		value := reflect.ValueOf(v).Elem()
		out := compiled(t, value.Type(), reflectschema.DirectionOutput)
		buf := make([]byte, 0, 1<<14)
		if n := testing.AllocsPerRun(100, func() {
			if _, err := out.AppendEncode(buf, value); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("encoding %v makes %v allocations, want none", value.Type(), n)
		}
	}
}

// TestProseAllocations: decoding a long text with escapes allocates only the text, once.
func TestProseAllocations(t *testing.T) {
	if underRace {
		t.Skip("pools drop items at random then")
	}
	typ, data := compiled(t, reflect.TypeFor[prose](), reflectschema.DirectionInput), jsonOf(t, newProse())
	if n := testing.AllocsPerRun(100, func() {
		var v prose
		if err := typ.Decode(data, reflect.ValueOf(&v).Elem()); err != nil {
			t.Fatal(err)
		}
	}); n > 2 {
		t.Errorf("decoding makes %v allocations, want at most 2", n)
	}
}

// TestWrongAllocations limits the allocations of the error text for a wrong call.
func TestWrongAllocations(t *testing.T) {
	if underRace {
		t.Skip("it allocates more then")
	}
	type days struct {
		Location string `json:"location" jsonschema:"minLength=1"`
		Unit     string `json:"unit,omitempty" jsonschema:"enum=celsius,enum=fahrenheit,default=celsius"`
		Days     int    `json:"days" jsonschema:"minimum=1,maximum=14"`
	}
	typ := compiled(t, reflect.TypeFor[days](), reflectschema.DirectionInput)
	for _, test := range []struct {
		data   string
		budget float64
	}{
		{`{"location":"Lisbon","unit":"kelvin","days":3}`, 81},
		{`{"location":"Lisbon","days":30}`, 87},
		{`{"location":"Lisbon"}`, 35},
		{`{"locaton":"Lisbon","days":3}`, 70},
	} {
		var v days
		dst := reflect.ValueOf(&v).Elem()
		if n := testing.AllocsPerRun(100, func() {
			if err := typ.Decode([]byte(test.data), dst); err == nil || err.Error() == "" {
				t.Fatal("no error")
			}
		}); n > test.budget {
			t.Errorf("%s: %v allocations, want at most %v", test.data, n, test.budget)
		}
	}
}
