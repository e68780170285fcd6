package lint

import (
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
	"github.com/mcptool-go/mcptool/reflectschema/internal/vet"
)

// notObject reports a schema whose type is not exactly object.
func notObject(l *linter, s *vet.Subschema) {
	if t := s.Value.Get("type"); t.Text() != "object" {
		l.report(s, foundType(t))
	}
}

func foundType(t *jsondoc.Value) string {
	if t == nil {
		return "no type"
	}
	return "type " + show.Clip(string(t.AppendTo(nil)), show.MaxText)
}

// notSchema reports a value that should be a schema and is not.
func notSchema(l *linter, s *vet.Subschema) {
	l.report(s, "not a schema: "+show.Clip(string(s.Value.AppendTo(nil)), show.MaxText))
}

// typeList reports a list of types.
func typeList(l *linter, s *vet.Subschema) {
	if t := s.Value.Get("type"); t != nil && t.Kind == rawjson.Array {
		l.report(s, foundType(t), "type")
	}
}

// untyped reports schemas without a type, unless they have one of the keywords in unless.
func untyped(unless ...string) check {
	return func(l *linter, s *vet.Subschema) {
		has := func(keyword string) bool { return s.Value.Get(keyword) != nil }
		if isWhole(s) && !closes(s) && !has("type") && !slices.ContainsFunc(unless, has) {
			l.report(s, "no type")
		}
	}
}

// untypedArgument reports arguments and elements without a type. It skips the values of objects with any names: they
// have no type because they may be anything, as in map[string]any.
func untypedArgument(l *linter, s *vet.Subschema) {
	if s.Keyword == "properties" || s.Keyword == "items" || s.Keyword == "prefixItems" {
		untyped(assertions...)(l, s)
	}
}

// assertions are the keywords that restrict values.
var assertions = jsondoc.NamesOf(func(k jsondoc.Keyword) bool { return k.Role != jsondoc.Annotation })

// boolean reports boolean schemas, except where all clients support them, such as additionalProperties.
func boolean(l *linter, s *vet.Subschema) {
	if s.Value.IsBool() && !closes(s) {
		l.report(s, string(s.Value.Raw))
	}
}

// withoutProperties reports objects without the keyword properties.
func withoutProperties(l *linter, s *vet.Subschema) {
	if s.Is("object") && s.Value.Get("properties") == nil {
		l.report(s, "no properties")
	}
}

// emptyProperties reports objects whose properties is empty.
func emptyProperties(l *linter, s *vet.Subschema) {
	if p := s.Value.Get("properties"); p != nil && p.Kind == rawjson.Object && len(p.Members) == 0 {
		l.report(s, "empty properties", "properties")
	}
}

// open reports objects without additionalProperties: false.
func open(l *linter, s *vet.Subschema) {
	rest := s.Value.Get("additionalProperties")
	if isWhole(s) && (s.Is("object") || s.Value.Get("properties") != nil) && (rest == nil || !rest.IsFalse()) {
		l.report(s, "no additionalProperties: false")
	}
}

// optional reports properties that are not required.
func optional(l *linter, s *vet.Subschema) {
	required := map[string]bool{}
	for _, name := range s.Value.Get("required").Texts() {
		required[name] = true
	}
	for _, m := range s.Value.Get("properties").Entries() {
		if isWhole(s) && !required[m.Name] {
			l.report(s, "optional "+show.Quote(m.Name, show.MaxName), "properties", m.Name)
		}
	}
}

// unnamed reports required properties that are missing from properties.
func unnamed(l *linter, s *vet.Subschema) {
	named := map[string]bool{}
	for _, m := range s.Value.Get("properties").Entries() {
		named[m.Name] = true
	}
	for _, name := range s.Value.Get("required").Texts() {
		if !named[name] {
			l.report(s, "required "+show.Quote(name, show.MaxName), "required")
		}
	}
}

// withoutItems reports arrays without items.
func withoutItems(l *linter, s *vet.Subschema) {
	if s.Is("array") && s.Value.Get("items") == nil {
		l.report(s, "no items")
	}
}

// falsyItems is withoutItems as VS Code implements it: the type must be array alone, and items: false counts as absent
// because it is falsy in JavaScript.
func falsyItems(l *linter, s *vet.Subschema) {
	items := s.Value.Get("items")
	if s.Value.Get("type").Text() == "array" && (items == nil || items.IsFalse()) {
		l.report(s, "no items")
	}
}

// tuple reports items with a list of schemas, which 2020-12 calls prefixItems.
func tuple(l *linter, s *vet.Subschema) {
	if items := s.Value.Get("items"); items != nil && items.Kind == rawjson.Array {
		l.report(s, "items as a list", "items")
	}
}

// misplaced reports keywords on a schema whose type is not the one that owner has for the keyword.
func misplaced(owner map[string]string) check {
	return func(l *linter, s *vet.Subschema) {
		for _, m := range s.Value.Members {
			if t, ok := owner[m.Name]; ok && s.Value.Get("type").Text() != t {
				l.report(s, m.Name+" with "+foundType(s.Value.Get("type")), m.Name)
			}
		}
	}
}

// isWhole reports whether the schema describes a value completely, rather than adding to the schema that contains it.
func isWhole(s *vet.Subschema) bool {
	k, _ := jsondoc.KeywordNamed(s.Keyword)
	return !k.Adds
}

// closes reports whether the schema is a boolean where booleans are usual, as in additionalProperties.
func closes(s *vet.Subschema) bool { return s.Value.IsBool() && jsondoc.Closes(s.Keyword) }
