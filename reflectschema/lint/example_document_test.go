package lint_test

import (
	"fmt"

	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/lint"
)

// A schema from any server is checked for the rules of each kind of client. Each finding contains what the client does
// and how to fix the schema.
func ExampleDocument() {
	document := []byte(`{
		"type": "object",
		"properties": {
			"payload": true,
			"tags": {"type": ["array", "null"], "items": {"type": "string"}}
		}
	}`)
	for _, p := range []lint.Profile{lint.ProfileClaude, lint.ProfileGemini} {
		findings, err := lint.Document(document, reflectschema.DirectionInput, p)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, f := range findings {
			if f.Rule.Severity == lint.SeverityRefused {
				fmt.Printf("%s: %s: %s\n  %s\n", p, f.Path, f.Found, f.Rule.Fix)
			}
		}
	}
	// Output:
	// claude: payload: true
	//   write {} for true, and {"not":{}} for false
	// gemini: payload: no type
	//   write a type; for a value of several types, anyOf
	// gemini: payload: true
	//   write a schema that is an object with a type
	// gemini: tags: type ["array","null"]
	//   write one type; for null as well, leave the property optional
	// gemini: tags: items with type ["array","null"]
	//   write the type, or leave the keyword out
}
