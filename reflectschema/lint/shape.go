package lint

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
	"github.com/mcptool-go/mcptool/reflectschema/internal/vet"
)

// notObject finds a schema whose type is not object and nothing else.
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

// notSchema finds what should be a schema and is none.
func notSchema(l *linter, s *vet.Subschema) {
	l.report(s, "no schema but "+show.Clip(string(s.Value.AppendTo(nil)), show.MaxText))
}

// typeList finds a list of types.
func typeList(l *linter, s *vet.Subschema) {
	if t := s.Value.Get("type"); t != nil && t.Kind == jsontext.KindBeginArray {
		l.report(s, foundType(t), "type")
	}
}

// untyped finds schemas without a type, unless they have one of these keywords.
func untyped(unless ...string) check {
	return func(l *linter, s *vet.Subschema) {
		has := func(keyword string) bool { return s.Value.Get(keyword) != nil }
		if isWhole(s) && !closes(s) && !has("type") && !slices.ContainsFunc(unless, has) {
			l.report(s, "no type")
		}
	}
}

// boolean finds true and false in the place of a schema, but for those that
// every reader knows, such as additionalProperties.
func boolean(l *linter, s *vet.Subschema) {
	if s.Value.IsBool() && !closes(s) {
		l.report(s, string(s.Value.Raw))
	}
}

// withoutProperties finds objects that do not have the keyword.
func withoutProperties(l *linter, s *vet.Subschema) {
	if s.Is("object") && s.Value.Get("properties") == nil {
		l.report(s, "no properties")
	}
}

// emptyProperties finds objects that name no property.
func emptyProperties(l *linter, s *vet.Subschema) {
	if p := s.Value.Get("properties"); p != nil && p.Kind == jsontext.KindBeginObject && len(p.Members) == 0 {
		l.report(s, "empty properties", "properties")
	}
}

// open finds objects that take other members than those they name.
func open(l *linter, s *vet.Subschema) {
	rest := s.Value.Get("additionalProperties")
	if isWhole(s) && (s.Is("object") || s.Value.Get("properties") != nil) && (rest == nil || rest.Kind != jsontext.KindFalse) {
		l.report(s, "no additionalProperties: false")
	}
}

// optional finds properties that need not be there.
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

// unnamed finds required properties that properties does not name.
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

// withoutItems finds arrays that do not say what they hold.
func withoutItems(l *linter, s *vet.Subschema) {
	if s.Is("array") && s.Value.Get("items") == nil {
		l.report(s, "no items")
	}
}

// falsyItems is withoutItems as JavaScript reads it: of type array alone, and
// false is as good as nothing.
func falsyItems(l *linter, s *vet.Subschema) {
	items := s.Value.Get("items")
	if s.Value.Get("type").Text() == "array" && (items == nil || items.Kind == jsontext.KindFalse) {
		l.report(s, "no items")
	}
}

// tuple finds the list of items that 2020-12 calls prefixItems.
func tuple(l *linter, s *vet.Subschema) {
	if items := s.Value.Get("items"); items != nil && items.Kind == jsontext.KindBeginArray {
		l.report(s, "a list of items", "items")
	}
}

// misplaced finds keywords of one type on a schema of another, by type.
func misplaced(owner map[string]string) check {
	return func(l *linter, s *vet.Subschema) {
		for _, m := range s.Value.Members {
			if t, ok := owner[m.Name]; ok && s.Value.Get("type").Text() != t {
				l.report(s, m.Name+" with "+foundType(s.Value.Get("type")), m.Name)
			}
		}
	}
}

// isWhole reports whether the schema describes a value by itself, and not only in addition to the schema that contains it.
func isWhole(s *vet.Subschema) bool {
	k, _ := jsondoc.KeywordNamed(s.Keyword)
	return !k.Adds
}

// closes reports whether the schema is a boolean where that is usual, as in additionalProperties.
func closes(s *vet.Subschema) bool { return s.Value.IsBool() && jsondoc.Closes(s.Keyword) }
