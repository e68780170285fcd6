package reflectschema

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// Wrapped returns the schema of an object with one required property, which s describes, for clients that accept only
// objects: if s accepts 1 and the name is "result", the schema accepts {"result":1}. Definitions move to the new root,
// and references are rewritten. It reports false if a document cannot be moved safely: with $id or nested $schema, which
// change the meaning of references; with $dynamicRef; and with a reference to a location that may not be a schema.
func (internals) Wrapped(s *Schema, property string) (*Schema, bool) {
	moved := "/properties/" + jsondoc.EscapeToken(property)
	places := map[string]bool{}
	movable := true
	s.doc().EachSchema(nil, func(p jsondoc.Path, d *jsondoc.Value) bool {
		places[p.Pointer()] = true
		nested := len(p) > 0 && d.Get("$schema") != nil
		if nested || d.Get("$id") != nil || d.Get("$dynamicRef") != nil || d.Get("$dynamicAnchor") != nil {
			movable = false
		}
		return true
	})
	relocate := func(_ string, d *jsondoc.Value) *jsondoc.Value {
		ref := d.Get("$ref").Text()
		pointer, ok := jsondoc.LocalPointer(ref)
		switch {
		case ref == "" || (strings.HasPrefix(ref, "#") && !ok): // an anchor does not depend on the location
			return d
		case !ok || !places[pointer]:
			movable = false
			return d
		case isDefinition(pointer):
			return d
		default:
			return d.With("$ref", jsondoc.String("#"+(&url.URL{Path: moved}).EscapedPath()+strings.TrimPrefix(ref, "#")))
		}
	}
	inner := relocate("", s.doc().MapSchemas(relocate))
	if !movable {
		return nil, false
	}

	outer := jsondoc.Object()
	if dialect := inner.Get("$schema"); dialect != nil {
		outer = outer.With("$schema", dialect)
	}
	outer = outer.
		With("type", jsondoc.String("object")).
		With("properties", jsondoc.Object(jsondoc.Member{Name: property, Value: inner.Without(append(definitions, "$schema")...)})).
		With("required", jsondoc.Array(jsondoc.String(property)))
	for _, keyword := range definitions {
		if defs := inner.Get(keyword); defs != nil {
			outer = outer.With(keyword, defs)
		}
	}
	return newSchema(outer.AppendTo(nil)), true
}

// definitions contains the keywords that contain schemas without applying them.
var definitions = []string{"$defs", "definitions"}

// isDefinition reports whether pointer leads into the definitions of the root.
func isDefinition(pointer string) bool {
	return slices.ContainsFunc(definitions, func(keyword string) bool {
		return strings.HasPrefix(pointer, "/"+keyword+"/")
	})
}

// Legacy returns the document for protocol revisions up to 2025-06-18. It differs from [Schema.JSON] in three points,
// and has the same bytes if none of them applies:
//
//   - A $schema that names draft 2020-12 is omitted: these revisions have no such member.
//   - Boolean schemas become objects, because clients of these revisions may not accept them: true becomes {}, and false
//     becomes {"not":{}}. The booleans of additionalProperties, unevaluatedProperties, additionalItems and
//     unevaluatedItems stay.
//   - Where minContains is 0, it is omitted with contains and maxContains: clients without minContains would require an
//     item.
//
// The caller must not modify the result.
func (internals) Legacy(s *Schema) json.RawMessage {
	if s.ours && !hasLenient(s.raw) {
		return s.raw
	}
	doc := s.withoutBooleans()
	if !s.isDraft7() {
		doc = withoutLenient(doc)
		if doc.Get("$schema") != nil {
			doc = doc.Without("$schema")
		}
	}
	return s.bytesOf(doc)
}

// LegacyDialect returns the document for protocol revision 2025-11-25. It differs from [Schema.JSON] only in its boolean
// schemas, which are replaced as in Legacy. The caller must not modify the result.
func (internals) LegacyDialect(s *Schema) json.RawMessage {
	if s.ours {
		return s.raw
	}
	return s.bytesOf(s.withoutBooleans())
}

// bytesOf returns the bytes of a document made from s; they are s.raw if nothing was changed.
func (s *Schema) bytesOf(doc *jsondoc.Value) json.RawMessage {
	if doc == s.doc() {
		return s.raw
	}
	return doc.AppendTo(nil)
}

// withoutBooleans returns the document with objects instead of boolean subschemas.
func (s *Schema) withoutBooleans() *jsondoc.Value { return s.doc().MapSchemas(withoutBoolean) }

// withoutBoolean returns the schema d under a keyword, as an object if it is a boolean and the keyword usually contains
// objects.
func withoutBoolean(keyword string, d *jsondoc.Value) *jsondoc.Value {
	switch {
	case !d.IsBool() || jsondoc.Closes(keyword):
		return d
	case d.IsTrue():
		return jsondoc.Object()
	default:
		return jsondoc.Parse([]byte(`{"not":{}}`))
	}
}

// lenient contains the keywords unknown to draft-07 that can relax another keyword, as minContains=0 relaxes contains:
// a client that ignores them requires too much.
var lenient = jsondoc.NamesOf(func(k jsondoc.Keyword) bool {
	return k.Limit != nil && k.Limit.Absent > 0 && k.Dialects&jsondoc.Draft7 == 0
})

// hasLenient reports whether a document may contain one of these keywords.
func hasLenient(raw []byte) bool {
	return slices.ContainsFunc(lenient, func(keyword string) bool { return bytes.Contains(raw, jsondoc.AppendString(nil, keyword)) })
}

// withoutLenient returns a document without these keywords and those that they relax, where they do.
func withoutLenient(doc *jsondoc.Value) *jsondoc.Value {
	without := func(_ string, d *jsondoc.Value) *jsondoc.Value {
		for _, keyword := range lenient {
			k, _ := jsondoc.KeywordNamed(keyword)
			if least := d.Get(keyword); least != nil && least.Count() < k.Limit.Absent {
				d = d.Without(jsondoc.Together(keyword)...)
			}
		}
		return d
	}
	return without("", doc.MapSchemas(without))
}
