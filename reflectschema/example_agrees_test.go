package reflectschema_test

import (
	"fmt"
	"reflect"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// A handwritten schema is compared with the Go type that decodes its values. It may be stricter than the type, as with
// maxLength here, but not wider.
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
