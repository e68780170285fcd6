package reflectschema_test

import (
	"fmt"
	"math"
	"reflect"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// AppendEncode writes only what fits the schema of a type.
func ExampleType_AppendEncode() {
	type Reading struct {
		Celsius float64  `json:"celsius" jsonschema:"minimum=-90,maximum=60"`
		Notes   []string `json:"notes"`
	}
	typ, err := reflectschema.Compile(reflect.TypeFor[Reading](), reflectschema.Options{Direction: reflectschema.DirectionOutput})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range []Reading{{Celsius: 21.5}, {Celsius: 451}, {Celsius: math.NaN()}} {
		out, err := typ.AppendEncode(nil, reflect.ValueOf(r))
		fmt.Printf("%s %v\n", out, err)
	}
	// Output:
	// {"celsius":21.5,"notes":[]} <nil>
	//  celsius: must be at most 60, got 451
	//  celsius: must be a finite number, got NaN
}
