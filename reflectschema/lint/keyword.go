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

// heldBy applies a check to the schemas that a keyword holds.
func heldBy(keyword string, c check) check {
	return func(l *linter, s *vet.Subschema) {
		if s.Keyword == keyword {
			c(l, s)
		}
	}
}

// having finds these keywords.
func having(names ...string) check {
	return func(l *linter, s *vet.Subschema) {
		for _, m := range s.Value.Members {
			if slices.Contains(names, m.Name) {
				l.report(s, m.Name, m.Name)
			}
		}
	}
}

// havingOther finds all keywords but these.
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

// keywordShown returns the name of a keyword, quoted if it looks like none.
func keywordShown(name string) string {
	if show.IsPlainName(name) {
		return name
	}
	return show.Quote(name, show.MaxName)
}

// besideRef finds keywords beside a $ref, but for those that are harmless there.
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

// nothing is no keyword.
func nothing(string) bool { return false }

// lostRef finds references that lead outside the document or nowhere.
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

// rebased reports whether an $id changes what references mean here.
func rebased(s *vet.Subschema) bool {
	for ; s != nil; s = s.Parent {
		if s.Value.Get("$id") != nil {
			return true
		}
	}
	return false
}

// dialectOtherThan finds a $schema that names another dialect.
func dialectOtherThan(want *jsonschema.Draft) check {
	return func(l *linter, s *vet.Subschema) {
		if said := s.Value.Get("$schema"); said != nil && authority.DraftOf(said.Text()) != want {
			l.report(s, "$schema "+show.Quote(said.Text(), show.MaxText), "$schema")
		}
	}
}

// rootProperty applies a check to what properties of the root holds.
func rootProperty(c check) check {
	return func(l *linter, s *vet.Subschema) {
		if s.Keyword == "properties" && s.Parent.Parent == nil {
			c(l, s)
		}
	}
}
