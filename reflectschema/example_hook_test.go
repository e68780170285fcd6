package reflectschema_test

import (
	"fmt"
	"reflect"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// An Interval says what its fields cannot: they belong together.
type Interval struct {
	From int `json:"from,omitempty"`
	To   int `json:"to,omitempty"`
}

// JSONSchemaExtend adds to what is derived from the fields.
func (*Interval) JSONSchemaExtend(s *jsonschema.Schema) {
	s.DependentRequired = map[string][]string{"from": {"to"}, "to": {"from"}}
}

// A type adds to its schema with a method.
func ExampleCompile_hook() {
	compiled, err := reflectschema.Compile(reflect.TypeFor[Interval](), reflectschema.DirectionInput)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(compiled.Schema().Check([]byte(`{"from":1}`)) != nil)
	// Output: true
}
