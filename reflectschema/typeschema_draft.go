package reflectschema

import (
	"encoding/json"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// draft returns the registered schema in the form that tags are applied to: keywords
// that tags have are in the fields of the draft, all others in its extras.
func (s *typeSchema) draft(n *node) jsonschema.Schema {
	var made jsonschema.Schema
	for _, m := range s.schema.doc().Members {
		if !draftKeyword(&made, m.Name, m.Value) {
			setExtra(&made, m.Name, json.RawMessage(m.Value.AppendTo(nil)))
		}
	}
	if s.codec == nil && made.Enum == nil && made.Const == nil {
		fillRange(&made, n)
	}
	return made
}

// draftKeyword sets the field of a draft for a keyword, and reports whether it has one.
func draftKeyword(s *jsonschema.Schema, name string, v *jsondoc.Value) bool {
	k, _ := jsondoc.KeywordNamed(name)
	field, hasField := schemaFieldOf(name)
	if k.Reading == 0 || !hasField {
		return false
	}
	if list, isList := field.in(s).(*[]any); isList {
		for _, item := range v.Items {
			*list = append(*list, json.RawMessage(item.AppendTo(nil)))
		}
		return true
	}
	return !v.IsArray() && setKeyword(s, name, v.AppendTo(nil)) // several types have no field
}

// fillRange adds the range of a small integer where the schema does not bound it.
func fillRange(s *jsonschema.Schema, n *node) {
	own := bounded(jsonschema.Schema{}, n)
	if s.Minimum == "" && s.ExclusiveMinimum == "" {
		s.Minimum = own.Minimum
	}
	if s.Maximum == "" && s.ExclusiveMaximum == "" {
		s.Maximum = own.Maximum
	}
}

// shape returns what the values of the type are in JSON, for the tags of a field.
func (s *typeSchema) shape() shapes {
	switch s.jsonType() {
	case "string":
		return onText
	case "integer":
		return onInteger
	case "number":
		return onNumber
	case "boolean":
		return onBool
	case "array":
		return onSlice
	case "object":
		return onMap
	default:
		return onAny
	}
}
