package tag

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
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

// SetExtra sets a keyword for which jsonschema.Schema has no field.
func SetExtra(s *jsonschema.Schema, name string, v any) {
	if s.Extras == nil {
		s.Extras = map[string]any{}
	}
	s.Extras[name] = v
}

// Apply applies settings to a schema. A bound from the tag replaces the one implied by the Go type.
func Apply(s *jsonschema.Schema, settings []Setting) {
	for _, set := range settings {
		if k := set.Keyword.schema(); k.Limit != nil && k.Limit.Open {
			for _, other := range jsondoc.LimitsOf(k.Limit.Of, k.Limit.Least) {
				schemaField(s, other.Name).SetZero()
			}
		}
		if set.Keyword.Name == "enum" {
			s.Enum = nil
		}
	}
	for _, set := range settings {
		if !set.IsLimit() {
			set.Keyword.apply(s, set.Value)
		}
	}
}

// Draft returns a schema in the form that settings are applied to: keywords that tags can set are fields of the draft,
// all others are extras.
func Draft(doc *jsondoc.Value) *jsonschema.Schema {
	made := &jsonschema.Schema{}
	for _, m := range doc.Members {
		if !draftKeyword(made, m.Name, m.Value) {
			SetExtra(made, m.Name, json.RawMessage(m.Value.AppendTo(nil)))
		}
	}
	return made
}

// draftKeyword sets a keyword in a draft, and reports whether the draft has a field for its value.
func draftKeyword(s *jsonschema.Schema, name string, v *jsondoc.Value) bool {
	if !v.IsArray() {
		return setKeyword(s, name, v.AppendTo(nil))
	}
	if f := schemaField(s, name); !f.IsValid() || f.Type() != reflect.TypeFor[[]any]() {
		return false // such as type, which has a field for one type
	}
	for _, item := range v.Items {
		setKeyword(s, name, item.AppendTo(nil))
	}
	return true
}
