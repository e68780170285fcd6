package reflectschema

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// notObject finds a schema whose type is not object and nothing else.
func notObject(l *linter, s *site) {
	if t := s.doc.Get("type"); t.Text() != "object" {
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
func notSchema(l *linter, s *site) {
	l.report(s, "no schema but "+show.Clip(string(s.doc.AppendTo(nil)), show.MaxText))
}

// typeList finds a list of types.
func typeList(l *linter, s *site) {
	if t := s.doc.Get("type"); t != nil && t.Kind == jsontext.KindBeginArray {
		l.report(s, foundType(t), "type")
	}
}

// untyped finds schemas without a type, unless they have one of these keywords.
func untyped(unless ...string) check {
	return func(l *linter, s *site) {
		has := func(keyword string) bool { return s.doc.Get(keyword) != nil }
		if s.whole() && !s.closes() && !has("type") && !slices.ContainsFunc(unless, has) {
			l.report(s, "no type")
		}
	}
}

// boolean finds true and false in the place of a schema, but for those that
// every reader knows, such as additionalProperties.
func boolean(l *linter, s *site) {
	if s.doc.IsBool() && !s.closes() {
		l.report(s, string(s.doc.Raw))
	}
}

// withoutProperties finds objects that do not have the keyword.
func withoutProperties(l *linter, s *site) {
	if s.is("object") && s.doc.Get("properties") == nil {
		l.report(s, "no properties")
	}
}

// emptyProperties finds objects that name no property.
func emptyProperties(l *linter, s *site) {
	if p := s.doc.Get("properties"); p != nil && p.Kind == jsontext.KindBeginObject && len(p.Members) == 0 {
		l.report(s, "empty properties", "properties")
	}
}

// open finds objects that take other members than those they name.
func open(l *linter, s *site) {
	rest := s.doc.Get("additionalProperties")
	if s.whole() && (s.is("object") || s.doc.Get("properties") != nil) && (rest == nil || rest.Kind != jsontext.KindFalse) {
		l.report(s, "no additionalProperties: false")
	}
}

// optional finds properties that need not be there.
func optional(l *linter, s *site) {
	required := map[string]bool{}
	for _, name := range s.doc.Get("required").Texts() {
		required[name] = true
	}
	for _, m := range s.doc.Get("properties").Entries() {
		if s.whole() && !required[m.Name] {
			l.report(s, "optional "+show.Quote(m.Name, show.MaxName), "properties", m.Name)
		}
	}
}

// unnamed finds required properties that properties does not name.
func unnamed(l *linter, s *site) {
	named := map[string]bool{}
	for _, m := range s.doc.Get("properties").Entries() {
		named[m.Name] = true
	}
	for _, name := range s.doc.Get("required").Texts() {
		if !named[name] {
			l.report(s, "required "+show.Quote(name, show.MaxName), "required")
		}
	}
}

// withoutItems finds arrays that do not say what they hold.
func withoutItems(l *linter, s *site) {
	if s.is("array") && s.doc.Get("items") == nil {
		l.report(s, "no items")
	}
}

// falsyItems is withoutItems as JavaScript reads it: of type array alone, and
// false is as good as nothing.
func falsyItems(l *linter, s *site) {
	items := s.doc.Get("items")
	if s.doc.Get("type").Text() == "array" && (items == nil || items.Kind == jsontext.KindFalse) {
		l.report(s, "no items")
	}
}

// tuple finds the list of items that 2020-12 calls prefixItems.
func tuple(l *linter, s *site) {
	if items := s.doc.Get("items"); items != nil && items.Kind == jsontext.KindBeginArray {
		l.report(s, "a list of items", "items")
	}
}

// misplaced finds keywords of one type on a schema of another, by type.
func misplaced(owner map[string]string) check {
	return func(l *linter, s *site) {
		for _, m := range s.doc.Members {
			if t, ok := owner[m.Name]; ok && s.doc.Get("type").Text() != t {
				l.report(s, m.Name+" with "+foundType(s.doc.Get("type")), m.Name)
			}
		}
	}
}
