package lint

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
	"github.com/mcptool-go/mcptool/reflectschema/internal/vet"
)

// atRoot applies a check to the root alone.
func atRoot(c check) check {
	return func(l *linter, s *vet.Subschema) {
		if s.Parent == nil {
			c(l, s)
		}
	}
}

// heldBy applies a check to the schemas in the value of a keyword.
func heldBy(keyword string, c check) check {
	return func(l *linter, s *vet.Subschema) {
		if s.Keyword == keyword {
			c(l, s)
		}
	}
}

// having reports each of the named keywords.
func having(names ...string) check {
	return func(l *linter, s *vet.Subschema) {
		for _, m := range s.Value.Members {
			if slices.Contains(names, m.Name) {
				l.report(s, m.Name, m.Name)
			}
		}
	}
}

// havingOther reports every keyword that is in none of the lists.
func havingOther(names ...[]string) check {
	known := slices.Concat(names...)
	return func(l *linter, s *vet.Subschema) {
		for _, m := range s.Value.Members {
			if !slices.Contains(known, m.Name) {
				l.report(s, keywordShown(m.Name), m.Name)
			}
		}
	}
}

// keywordShown returns the name of a keyword for display, quoted unless it is a plain name.
func keywordShown(name string) string {
	if show.IsPlainName(name) {
		return name
	}
	return show.Quote(name, show.MaxName)
}

// besideRef reports keywords beside a $ref, except those that are harmless there and those, such as $defs, that belong
// to the document rather than the schema.
func besideRef(harmless func(keyword string) bool) check {
	return func(l *linter, s *vet.Subschema) {
		if s.Value.Get("$ref") == nil {
			return
		}
		for _, m := range s.Value.Members {
			if m.Name != "$ref" && !jsondoc.IsOfDocument(m.Name) && !harmless(m.Name) {
				l.report(s, keywordShown(m.Name)+" beside $ref", m.Name)
			}
		}
	}
}

// nothing is a filter for besideRef that treats no keyword as harmless.
func nothing(string) bool { return false }

// lostRef reports references that leave the document or have no target. It skips references in a schema with an $id, or
// below one.
func lostRef(l *linter, s *vet.Subschema) {
	ref := s.Value.Get("$ref").Text()
	if ref == "" || rebased(s) {
		return
	}
	pointer, local := jsondoc.LocalPointer(ref)
	if !strings.HasPrefix(ref, "#") || (local && !l.leads(pointer)) {
		l.report(s, "$ref "+show.Quote(ref, show.MaxText), "$ref")
	}
}

// rebased reports whether an $id changes the base of references in s.
func rebased(s *vet.Subschema) bool {
	for ; s != nil; s = s.Parent {
		if s.Value.Get("$id") != nil {
			return true
		}
	}
	return false
}

// dialectOtherThan reports a $schema that names another dialect. A document without $schema passes.
func dialectOtherThan(want *jsonschema.Draft) check {
	return func(l *linter, s *vet.Subschema) {
		if said := s.Value.Get("$schema"); said != nil && authority.DraftOf(said.Text()) != want {
			l.report(s, "$schema "+show.Quote(said.Text(), show.MaxText), "$schema")
		}
	}
}

// rootProperty applies a check to the schemas of the root's properties.
func rootProperty(c check) check {
	return func(l *linter, s *vet.Subschema) {
		if s.Keyword == "properties" && s.Parent.Parent == nil {
			c(l, s)
		}
	}
}
