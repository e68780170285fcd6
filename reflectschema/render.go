package reflectschema

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"
)

// render writes a schema as it is published: compact, with the fewest escapes,
// its keywords in the order in which people read them, true written as {}.
func render(s *jsonschema.Schema) (*Schema, error) {
	doc, err := documentOf(s)
	if err != nil {
		return nil, err
	}
	doc = tidy("", doc.mapSchemas(tidy))
	return schemaOf(doc.appendTo(nil), doc, dialect2020), nil
}

// tidy is one schema without what clients stumble over. Some take a boolean for
// no schema at all; only where false is usual does it stay.
func tidy(keyword string, d *document) *document {
	empty := &document{kind: jsontext.KindBeginObject}
	switch {
	case d.kind == jsontext.KindTrue:
		return empty
	case d.kind == jsontext.KindFalse && !slices.Contains(closers, keyword):
		return empty.with("not", empty)
	}
	ordered := *d
	ordered.members = slices.Clone(d.members)
	slices.SortStableFunc(ordered.members, func(a, b member) int { return cmp.Compare(rank(a.name), rank(b.name)) })
	return &ordered
}

// reading is the order of keywords: what it is, what it is made of, within what
// bounds. Others follow as they come, definitions at the very end.
var reading = []string{
	"title", "description", "type", "$ref", "const", "enum", "format", "contentEncoding", "pattern",
	"anyOf", "oneOf", "allOf", "items", "properties", "required", "additionalProperties", "propertyNames",
	"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
	"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
	"default", "examples", "deprecated", "readOnly", "writeOnly",
}

func rank(keyword string) int {
	if keyword == "$defs" {
		return len(reading) + 1
	}
	if i := slices.Index(reading, keyword); i >= 0 {
		return i
	}
	return len(reading)
}
