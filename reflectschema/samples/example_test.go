package samples_test

import (
	"fmt"

	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// The samples try out what reads the values of a schema, at its edges.
func ExampleOf() {
	schema, err := reflectschema.ParseSchema([]byte(`{
		"type": "object",
		"properties": {"limit": {"type": "integer", "minimum": 1, "maximum": 50}},
		"additionalProperties": false
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range samples.Of(schema) {
		if s.Path == "limit" && s.Fits {
			fmt.Printf("%s  limit: %s\n", s.JSON, s.About)
		}
	}
	// Output:
	// {"limit":2}  limit: just above minimum
	// {"limit":49}  limit: just below maximum
	// {"limit":50}  limit: at maximum
	// {"limit":1.0}  limit: an integer with a zero fraction
}
