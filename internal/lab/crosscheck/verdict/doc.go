// Package verdict holds what reflectschema and mcptool decide about values against what others decide: the
// validator github.com/google/jsonschema-go, called the judge, by the published schema, and encoding/json.
//
// [Check] does so for one [Subject], a Go type, and adds what it finds to a [Report]. The kinds of values for
// which the judge is known to decide otherwise stand in one table, in the file difference.go.
package verdict
