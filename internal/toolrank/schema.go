package toolrank

import (
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// maxSchemaDepth is how deep schemas inside schemas are read. Arguments nested deeper are not indexed.
const maxSchemaDepth = 16

// schema adds the arguments of an input schema.
func (b *builder) schema(text []byte) {
	s := rawjson.New(text, 0)
	b.subschema(&s, 0)
}

// subschema reads a schema, of which depth others are around, with the schemas inside it.
func (b *builder) subschema(s *rawjson.Scanner, depth int) {
	if depth > maxSchemaDepth || s.Next() != rawjson.Object {
		s.Value()
		return
	}
	s.OpenObject()
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		switch keyword := string(m); {
		case keyword == "properties" && s.Next() == rawjson.Object:
			b.named(s, depth, true)
		case keyword == "title", keyword == "description":
			b.value(s, FieldArgumentText)
		case keyword == "const":
			b.value(s, FieldArgumentValue)
		case keyword == "enum" && s.Next() == rawjson.Array:
			s.OpenArray()
			for s.Element() {
				b.value(s, FieldArgumentValue)
			}
		case jsondoc.HeldBy(keyword) == jsondoc.HoldsNamed && s.Next() == rawjson.Object:
			b.named(s, depth, false)
		case jsondoc.HeldBy(keyword) == jsondoc.HoldsOne && s.Next() == rawjson.Array:
			s.OpenArray()
			for s.Element() {
				b.subschema(s, depth+1)
			}
		case jsondoc.HeldBy(keyword) == jsondoc.HoldsOne:
			b.subschema(s, depth+1)
		default:
			s.Value()
		}
	}
}

// named reads an object of schemas, such as the value of properties. If areArguments, it adds the names of the members.
func (b *builder) named(s *rawjson.Scanner, depth int, areArguments bool) {
	s.OpenObject()
	for m, ok := s.Member(); ok; m, ok = s.Member() {
		if areArguments {
			b.text(FieldArgument, string(m))
		}
		b.subschema(s, depth+1)
	}
}

// value adds the next value to a field if it is a string.
func (b *builder) value(s *rawjson.Scanner, f Field) {
	if raw := s.Value(); rawjson.KindOf(raw) == rawjson.String {
		b.text(f, string(rawjson.Unquote(raw)))
	}
}
