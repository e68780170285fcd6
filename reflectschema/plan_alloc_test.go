package reflectschema_test

import (
	"reflect"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/measured"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// TestPlanAllocations keeps what a call costs: the arguments themselves and their one
// string that is not in the schema, and nothing at all for the result.
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
		t.Errorf("decoding In takes %v allocations, want at most 2", n)
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
			t.Errorf("encoding %v takes %v allocations, want none", value.Type(), n)
		}
	}
}

// TestProseAllocations keeps what a long text with escapes costs: its own memory, once.
func TestProseAllocations(t *testing.T) {
	if underRace {
		t.Skip("pools drop what they hold at random then")
	}
	typ, data := compiled(t, reflect.TypeFor[prose](), reflectschema.DirectionInput), jsonOf(t, newProse())
	if n := testing.AllocsPerRun(100, func() {
		var v prose
		if err := typ.Decode(data, reflect.ValueOf(&v).Elem()); err != nil {
			t.Fatal(err)
		}
	}); n > 2 {
		t.Errorf("decoding takes %v allocations, want at most 2", n)
	}
}

// TestWrongAllocations keeps what the text for a wrong call costs.
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
