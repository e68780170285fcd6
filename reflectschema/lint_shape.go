package reflectschema

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// notObject finds a schema whose type is not object and nothing else.
func notObject(l *linter, s *site) {
	if t := s.doc.get("type"); t.text() != "object" {
		l.report(s, foundType(t))
	}
}

func foundType(t *document) string {
	if t == nil {
		return "no type"
	}
	return "type " + clip(string(t.appendTo(nil)), maxShownText)
}

// notSchema finds what should be a schema and is none.
func notSchema(l *linter, s *site) {
	l.report(s, "no schema but "+clip(string(s.doc.appendTo(nil)), maxShownText))
}

// typeList finds a list of types.
func typeList(l *linter, s *site) {
	if t := s.doc.get("type"); t != nil && t.kind == jsontext.KindBeginArray {
		l.report(s, foundType(t), "type")
	}
}

// untyped finds schemas without a type, unless they have one of these keywords.
func untyped(unless ...string) check {
	return func(l *linter, s *site) {
		has := func(keyword string) bool { return s.doc.get(keyword) != nil }
		if s.whole() && !s.closes() && !has("type") && !slices.ContainsFunc(unless, has) {
			l.report(s, "no type")
		}
	}
}

// boolean finds true and false in the place of a schema, but for those that
// every reader knows, such as additionalProperties.
func boolean(l *linter, s *site) {
	if s.doc.isBool() && !s.closes() {
		l.report(s, string(s.doc.raw))
	}
}

// withoutProperties finds objects that do not have the keyword.
func withoutProperties(l *linter, s *site) {
	if s.is("object") && s.doc.get("properties") == nil {
		l.report(s, "no properties")
	}
}

// emptyProperties finds objects that name no property.
func emptyProperties(l *linter, s *site) {
	if p := s.doc.get("properties"); p != nil && p.kind == jsontext.KindBeginObject && len(p.members) == 0 {
		l.report(s, "empty properties", "properties")
	}
}

// open finds objects that take other members than those they name.
func open(l *linter, s *site) {
	rest := s.doc.get("additionalProperties")
	if s.whole() && (s.is("object") || s.doc.get("properties") != nil) && (rest == nil || rest.kind != jsontext.KindFalse) {
		l.report(s, "no additionalProperties: false")
	}
}

// optional finds properties that need not be there.
func optional(l *linter, s *site) {
	required := map[string]bool{}
	for _, name := range s.doc.get("required").texts() {
		required[name] = true
	}
	for _, m := range s.doc.get("properties").all() {
		if s.whole() && !required[m.name] {
			l.report(s, "optional "+quoteShort(m.name, maxShownName), "properties", m.name)
		}
	}
}

// unnamed finds required properties that properties does not name.
func unnamed(l *linter, s *site) {
	named := map[string]bool{}
	for _, m := range s.doc.get("properties").all() {
		named[m.name] = true
	}
	for _, name := range s.doc.get("required").texts() {
		if !named[name] {
			l.report(s, "required "+quoteShort(name, maxShownName), "required")
		}
	}
}

// withoutItems finds arrays that do not say what they hold.
func withoutItems(l *linter, s *site) {
	if s.is("array") && s.doc.get("items") == nil {
		l.report(s, "no items")
	}
}

// falsyItems is withoutItems as JavaScript reads it: of type array alone, and
// false is as good as nothing.
func falsyItems(l *linter, s *site) {
	items := s.doc.get("items")
	if s.doc.get("type").text() == "array" && (items == nil || items.kind == jsontext.KindFalse) {
		l.report(s, "no items")
	}
}

// tuple finds the list of items that 2020-12 calls prefixItems.
func tuple(l *linter, s *site) {
	if items := s.doc.get("items"); items != nil && items.kind == jsontext.KindBeginArray {
		l.report(s, "a list of items", "items")
	}
}

// misplaced finds keywords of one type on a schema of another, by type.
func misplaced(owner map[string]string) check {
	return func(l *linter, s *site) {
		for _, m := range s.doc.members {
			if t, ok := owner[m.name]; ok && s.doc.get("type").text() != t {
				l.report(s, m.name+" with "+foundType(s.doc.get("type")), m.name)
			}
		}
	}
}
