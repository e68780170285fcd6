package reflectschema

import "github.com/mcptool-go/mcptool/internal/private"

// TagKeywords are the keywords of the tag, for the test that goes over all of them.
func TagKeywords() (names []string) {
	for _, k := range keywords {
		names = append(names, k.name)
	}
	return names
}

// HasPlan reports whether values of a type are checked in one pass, and not by the authority alone.
func HasPlan(t *Type) bool { return t.plan() != nil }

// CallsMethods, Wrapped, Shortener and Judge are the funcs of [private.Schemas].
func (t *Type) CallsMethods() bool { return t.callsMethods() }

func (s *Schema) Wrapped(property string) (*Schema, bool) { return s.wrapped(property) }

func (t *Type) Shortener(check func(private.TaggedField) (reason, fix string)) (private.Shorten, error) {
	return t.shortener(check)
}

func (s *Schema) Judge(data []byte) error { return s.judge(data, nil) }
