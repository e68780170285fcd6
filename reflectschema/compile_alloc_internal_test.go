//go:build !race

// The race detector drops pooled items at random, which adds allocations.

package reflectschema

import (
	"reflect"
	"testing"
)

// TestCompileAllocs limits the allocations of Compile, most of which are in the MarshalJSON methods of
// jsonschema.Schema and its ordered map. Compiling the authority for a type without values in its tags would be several
// times as expensive.
func TestCompileAllocs(t *testing.T) {
	type prose struct {
		Location string   `json:"location" jsonschema:"City name, e.g. Lisbon"`
		Unit     string   `json:"unit,omitempty" jsonschema:"Unit of the temperatures"`
		Days     int      `json:"days" jsonschema:"Days to look ahead"`
		Tags     []string `json:"tags,omitempty" jsonschema:"What else to look for"`
	}
	for _, test := range []struct {
		name   string
		goType reflect.Type
		budget float64
	}{
		{"forty fields without values", forty(false), 3900},
		{"forty fields, eight with values", forty(true), 4700},
		{"four fields with prose", reflect.TypeFor[prose](), 210},
		{"thirty levels", nested(30), 3300},
	} {
		allocs := testing.AllocsPerRun(10, func() {
			if _, err := compile(test.goType, usage{}); err != nil {
				t.Fatal(err)
			}
		})
		if allocs > test.budget {
			t.Errorf("%s: %.0f allocations, want at most %.0f", test.name, allocs, test.budget)
		}
	}
}
