package reflectschema_test

import (
	"fmt"
	"math"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// AppendValue writes only what fits the schema of a type.
func ExampleAppendValue() {
	type Reading struct {
		Celsius float64  `json:"celsius" jsonschema:"minimum=-90,maximum=60"`
		Notes   []string `json:"notes"`
	}
	for _, r := range []Reading{{Celsius: 21.5}, {Celsius: 451}, {Celsius: math.NaN()}} {
		out, err := reflectschema.AppendValue(nil, r)
		fmt.Printf("%s %v\n", out, err)
	}
	// Output:
	// {"celsius":21.5,"notes":[]} <nil>
	//  celsius: must be at most 60, got 451
	//  celsius: must be a finite number, got NaN
}
