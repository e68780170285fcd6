package reflectschema_test

import (
	"fmt"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// The errors of a handwritten schema explain what is wrong with a value, so that a model can correct it.
func ExampleParseSchema() {
	schema, err := reflectschema.ParseSchema([]byte(`{
		"type": "object",
		"properties": {
			"location": {"type": "string", "minLength": 1},
			"unit": {"enum": ["celsius", "fahrenheit"]}
		},
		"required": ["location"],
		"additionalProperties": false
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(schema.Check([]byte(`{"locaton": "Lisbon", "unit": "celsiu"}`)))
	// Output:
	// location: is required but missing
	// locaton: is not a known property; did you mean "location"?
	// unit: must be one of "celsius", "fahrenheit", got "celsiu"; did you mean "celsius"?
	// Example: {"location":"text","unit":"celsius"}
}

// All mistakes in a schema are reported at once, with their locations.
func ExampleParseSchema_mistakes() {
	_, err := reflectschema.ParseSchema([]byte(`{
		"type": "object",
		"properties": {
			"when": {"$ref": "https://example.com/date.json"},
			"name": {"type": "string", "pattern": "^(?!x)"}
		}
	}`))
	fmt.Println(err)
	// Output:
	// schema: properties.when.$ref: points outside the document: "https://example.com/date.json"
	// schema: properties.name.pattern: must be a regular expression of Go (no lookaround, no backreferences): invalid or unsupported Perl syntax: `(?!`
}
