// Package verdict compares the decisions of reflectschema and mcptool about values with those of independent code: the
// validator github.com/google/jsonschema-go, called the judge, for the published schema, and encoding/json.
//
// [Check] does this for one [Subject], a Go type, and adds the results to a [Report]. Known differences from the judge
// are in a table in difference.go.
package verdict
