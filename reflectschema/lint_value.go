package reflectschema

import (
	"errors"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// Bounds of what a linter checks, so that the time it takes does not grow with the square of
// a document.
const (
	maxEnumChecked = 200  // values of one enum
	maxValues      = 2000 // values of one document
)

// valueJudge holds values in a document against the schemas that they stand in.
type valueJudge struct {
	auth *authority.Authority
	at   map[string]string // locations of schemas, by pointer
	left int
}

// newValueJudge returns nil for a document that cannot be used for checking.
func newValueJudge(s *Schema) *valueJudge {
	auth, err := s.compiled()
	if err != nil || auth.Scoped != "" {
		return nil
	}
	j := &valueJudge{auth: auth, at: make(map[string]string, len(auth.At)), left: maxValues}
	for location := range auth.At {
		if len(location) >= len(authority.DocumentURL) && location[:len(authority.DocumentURL)] == authority.DocumentURL {
			j.at[jsondoc.FragmentPointer(location)] = location
		}
	}
	return j
}

// misfit says what is wrong with the value of a keyword in the schema at a pointer, "" if
// nothing is.
func (j *valueJudge) misfit(pointer, keyword string, value *jsondoc.Value) string {
	location, known := j.at[pointer]
	if j.left--; !known || j.left < 0 {
		return ""
	}
	v, err := parseStrict(value.AppendTo(nil))
	if err != nil {
		return ""
	}
	invalid := (*InvalidError)(nil)
	if !errors.As((reporter{j.auth}).check(j.auth.At[location], v, nil), &invalid) || invalid.Violations[0].Keyword == keywordCheck {
		return ""
	}
	first := invalid.Violations[0]
	if first.Keyword == keyword { // what has the wrong type is told as not being listed
		return "is not of the type that is asked for"
	}
	return first.line()
}

// refusedValues finds a default, examples and listed values that the schema they stand in
// refuses.
func refusedValues(l *linter, s *site) {
	for _, keyword := range []string{"default", "const", "examples", "enum"} {
		values := s.doc.Get(keyword)
		switch {
		case values == nil:
		case keyword == "default" || keyword == "const":
			l.refuses(s, keyword, values)
		default:
			for _, value := range values.Items[:min(maxEnumChecked, len(values.Items))] {
				l.refuses(s, keyword, value)
			}
		}
	}
}

// refuses reports a value that the schema refuses.
func (l *linter) refuses(s *site, keyword string, value *jsondoc.Value) {
	if !l.judged {
		l.judged = true
		if l.schema == nil {
			l.schema, _ = ParseSchema(l.root.AppendTo(nil))
		}
		if l.schema != nil {
			l.judge = newValueJudge(l.schema)
		}
	}
	if l.judge == nil {
		return
	}
	if reason := l.judge.misfit(s.pointer(), keyword, value); reason != "" {
		l.report(s, keyword+" "+show.Clip(string(value.AppendTo(nil)), show.MaxName)+": "+reason, keyword)
	}
}
