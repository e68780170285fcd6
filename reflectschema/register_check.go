package reflectschema

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
	"github.com/mcptool-go/mcptool/reflectschema/internal/walk"
)

// checkRegistration parses the schema of a registration, and returns the mistakes in both.
func checkRegistration(s *walk.Registration, schema string) (mistakes []tag.Mistake) {
	t := s.GoType
	switch {
	case t.Kind() == reflect.Interface && s.Codec == nil:
		return []tag.Mistake{{Reason: "a schema alone does not determine how an interface is written and read", Fix: "register the types that it holds, list them with reflectschema.RegisterUnion, or use reflectschema.RegisterJSON for results, or reflectschema.RegisterCodec"}}
	case t.Kind() == reflect.Pointer:
		return []tag.Mistake{{Reason: "a pointer is encoded as null or as the value it points to, so its registration would have no effect", Fix: "register the type that it points at"}}
	case t.PkgPath() == "":
		return []tag.Mistake{{Reason: "it is not a defined type, so the schema would also apply to unrelated values", Fix: "declare a type"}}
	case walk.HookOf(t) != nil:
		return []tag.Mistake{{Reason: "it describes itself, by a JSONSchema or JSONSchemaExtend method", Fix: "change the method, or drop the registration"}}
	case s.Codec != nil && slices.Contains(s.Funcs[:], 0):
		mistakes = append(mistakes, tag.Mistake{Reason: "a function is nil", Fix: "pass one that writes and one that reads"})
	}
	parsed, err := ParseSchema([]byte(schema))
	if err != nil {
		return append(mistakes, schemaMistakes(err)...)
	}
	s.Schema = finished{parsed}
	mistakes = append(mistakes, checkStandalone(parsed.doc())...)
	if s.Codec == nil {
		mistakes = append(mistakes, checkKind(s)...)
	}
	if s.Function != functionEnum {
		mistakes = append(mistakes, vetMistakes(parsed)...)
	}
	return mistakes
}

// vetMistakes returns the mistakes in a schema that JSON Schema allows, see package vet.
func vetMistakes(s *Schema) (mistakes []tag.Mistake) {
	for _, m := range s.document().Mistakes() {
		mistakes = append(mistakes, tag.Mistake{Reason: ifSet("", m.Pointer, ": ") + m.Found + ": " + m.Check.Why, Fix: m.Check.Fix})
	}
	return mistakes
}

// schemaMistakes returns the mistakes that ParseSchema found.
func schemaMistakes(err error) (mistakes []tag.Mistake) {
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	for _, one := range all {
		mistakes = append(mistakes, tag.Mistake{Reason: one.Error(), Fix: "correct the schema"})
	}
	return mistakes
}

// standalone contains the keywords that a schema inside other schemas must not have, because their meaning depends on
// the document.
var standalone = jsondoc.NamesOf(func(k jsondoc.Keyword) bool {
	return k.Role == jsondoc.Identifier || k.Role == jsondoc.Reference || k.Role == jsondoc.Definitions
})

// checkStandalone rejects keywords that a part of another schema must not have.
func checkStandalone(doc *jsondoc.Value) (mistakes []tag.Mistake) {
	doc.EachSchema(nil, func(p jsondoc.Path, d *jsondoc.Value) bool {
		for _, m := range d.Members {
			if slices.Contains(standalone, m.Name) {
				mistakes = append(mistakes, tag.Mistake{Reason: show.Path(p.Member(m.Name)) + " is not allowed in a schema that is embedded in others", Fix: "write the schema inline"})
			}
		}
		return true
	})
	if doc.Get("default") != nil {
		mistakes = append(mistakes, tag.Mistake{Reason: "default would have no effect", Fix: "write default=… in the tag of a field"})
	}
	return mistakes
}

// checkKind compares the type in the schema with the JSON that the Go type is written as.
func checkKind(s *walk.Registration) []tag.Mistake {
	n, unfit := s.Unregistered()
	useCodec := tag.Mistake{
		Reason: fmt.Sprintf("a schema alone does not change the encoding of %s, which is not one string or number", s.GoType),
		Fix:    "register functions that write and read it, with reflectschema.RegisterCodec",
	}
	switch {
	case unfit != nil:
		return []tag.Mistake{useCodec}
	case n.Kind == codec.KindJSON, n.Kind == codec.KindRaw:
		return nil
	case n.Kind == codec.KindSlice, n.Kind == codec.KindArray, n.Kind == codec.KindMap, n.Kind == codec.KindStruct:
		return []tag.Mistake{useCodec}
	}
	given, possible := s.Doc().Get("type"), n.Kind.Types()
	if types := jsondoc.TypesNamed(given.Text()); types&possible == 0 || types&^possible != 0 {
		name := possible.Names()[0]
		shown := "no type"
		if given != nil {
			shown = "the type " + string(given.AppendTo(nil))
		}
		return []tag.Mistake{{Reason: fmt.Sprintf("%s is of the JSON type %q, and the schema has %s", s.GoType, name, shown), Fix: fmt.Sprintf(`write "type":%q, or use reflectschema.RegisterCodec`, name)}}
	}
	return checkRange(s.Doc(), n)
}

// checkRange finds bounds that the Go type cannot hold.
func checkRange(doc *jsondoc.Value, n *codec.Node) (mistakes []tag.Mistake) {
	low, high := n.Range()
	for _, k := range slices.Concat(jsondoc.LimitsOf("", true), jsondoc.LimitsOf("", false)) {
		if bound, ok := doc.Get(k.Name).Number(); ok && low != nil && (bound.Cmp(low) < 0 || bound.Cmp(high) > 0) {
			mistakes = append(mistakes, tag.Mistake{Reason: fmt.Sprintf("%s: %s cannot hold %s", k.Name, n.GoType, show.Rat(bound)), Fix: "stay within " + tag.RangeText(n)})
		}
	}
	return mistakes
}

// functionEnum is the registration.function of types whose schema is made from their values.
const functionEnum = "RegisterEnum"
