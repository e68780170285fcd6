package reflectschema

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
)

// schemaFields maps keywords to the indexes of the fields of jsonschema.Schema.
var schemaFields = func() map[string]int {
	indexes := map[string]int{}
	for f := range reflect.TypeFor[jsonschema.Schema]().Fields() {
		if keyword, _, _ := strings.Cut(f.Tag.Get("json"), ","); keyword != "" && keyword != "-" {
			indexes[keyword] = f.Index[0]
		}
	}
	return indexes
}()

// schemaField returns the field of a schema for the value of a keyword, or the zero Value if there is none.
func schemaField(s *jsonschema.Schema, keyword string) reflect.Value {
	index, ok := schemaFields[keyword]
	if !ok {
		return reflect.Value{}
	}
	return reflect.ValueOf(s).Elem().Field(index)
}

// setKeyword sets the value of a keyword, in JSON, or appends it if the field is a list of values. It reports whether the
// schema has a field for such a value.
func setKeyword(s *jsonschema.Schema, keyword string, v json.RawMessage) bool {
	f := schemaField(s, keyword)
	if !f.IsValid() {
		return false
	}
	switch field := f.Addr().Interface().(type) {
	case *any:
		*field = v
	case *[]any:
		*field = append(*field, v)
	case *string, *json.Number, *bool, **uint64:
		return json.Unmarshal(v, field) == nil
	default:
		return false
	}
	return true
}
