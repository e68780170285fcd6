package reflectschema_test

import (
	"fmt"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// A schema written by hand says what is wrong with a value in words that a
// model can act on.
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

// Mistakes in a schema are told with their place, all at once.
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
