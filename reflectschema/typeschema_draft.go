package reflectschema

import (
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
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
	raw := json.RawMessage(v.AppendTo(nil))
	texts := map[string]*string{
		"title": &s.Title, "description": &s.Description, "format": &s.Format, "pattern": &s.Pattern, "contentEncoding": &s.ContentEncoding,
	}
	numbers := map[string]*json.Number{
		"minimum": &s.Minimum, "maximum": &s.Maximum, "exclusiveMinimum": &s.ExclusiveMinimum, "exclusiveMaximum": &s.ExclusiveMaximum,
		"multipleOf": &s.MultipleOf,
	}
	counts := map[string]**uint64{
		"minLength": &s.MinLength, "maxLength": &s.MaxLength, "minItems": &s.MinItems, "maxItems": &s.MaxItems,
		"minProperties": &s.MinProperties, "maxProperties": &s.MaxProperties,
	}
	flags := map[string]*bool{"uniqueItems": &s.UniqueItems, "deprecated": &s.Deprecated, "readOnly": &s.ReadOnly, "writeOnly": &s.WriteOnly}
	switch {
	case name == "type" && v.Kind == jsontext.KindString:
		s.Type = v.Text()
	case name == "enum":
		s.Enum = rawValues(v)
	case name == "const":
		s.Const = raw
	case name == "examples":
		s.Examples = rawValues(v)
	case texts[name] != nil:
		*texts[name] = v.Text()
	case numbers[name] != nil:
		*numbers[name] = json.Number(v.Raw)
	case counts[name] != nil:
		limit, err := strconv.ParseUint(string(v.Raw), 10, 64)
		if err != nil {
			return false // such as 1e3, which a tag does not write
		}
		*counts[name] = &limit
	case flags[name] != nil:
		*flags[name] = v.Kind == jsontext.KindTrue
	default:
		return false
	}
	return true
}

// rawValues returns the elements of an array.
func rawValues(v *jsondoc.Value) (list []any) {
	for _, item := range v.Items {
		list = append(list, json.RawMessage(item.AppendTo(nil)))
	}
	return list
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
