package reflectschema_test

import (
	"fmt"
	"reflect"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// A type is derived once. Its schema, decoder and encoder agree.
func ExampleCompile() {
	type query struct {
		Location string `json:"location" jsonschema:"minLength=1" doc:"City, e.g. Lisbon, Portugal"`
		Unit     string `json:"unit" jsonschema:"enum=celsius,enum=fahrenheit,default=celsius"`
	}
	compiled, err := reflectschema.Compile(reflect.TypeFor[query](), reflectschema.DirectionInput)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", compiled.Schema().JSON())

	var q query
	err = compiled.Decode([]byte(`{"location":"Porto"}`), reflect.ValueOf(&q).Elem())
	fmt.Println(q.Location, q.Unit, err)
	// Output:
	// {"type":"object","properties":{"location":{"description":"City, e.g. Lisbon, Portugal","type":"string","minLength":1},"unit":{"type":"string","enum":["celsius","fahrenheit"],"default":"celsius"}},"required":["location"],"additionalProperties":false}
	// Porto celsius <nil>
}
