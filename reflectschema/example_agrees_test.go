package reflectschema_test

import (
	"fmt"
	"reflect"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// A schema written by hand is held against the type that will read what it lets
// through. It may ask for more than the type, as with maxLength here, not for less.
func ExampleType_Agrees() {
	type Search struct {
		Query string `json:"query"`
		Limit int8   `json:"limit,omitempty" jsonschema:"minimum=1"`
	}
	t, err := reflectschema.Compile(reflect.TypeFor[Search](), reflectschema.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := reflectschema.ParseSchema([]byte(`{
		"type": "object",
		"properties": {
			"query": {"type": "string", "maxLength": 100},
			"limit": {"type": "number", "minimum": 1, "maximum": 50},
			"lang": {"type": "string"}
		},
		"additionalProperties": false
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Agrees(s))
	// Output:
	// reflectschema_test.Search.Limit (limit): the schema allows a fraction, but the Go type reads integer; write "type":"integer"
	// reflectschema_test.Search (lang): the schema has it, but the Go type has no such field; drop the property, or add the field
	// reflectschema_test.Search.Query (query): the Go type requires it, but the schema does not; add it to "required", or make the field a pointer
}
