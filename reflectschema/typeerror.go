package reflectschema

import (
	"reflect"
	"strings"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
	"github.com/mcptool-go/mcptool/reflectschema/internal/walk"
)

// TypeErrors are all mistakes found in one type, in the order of its fields: mistakes in struct tags, and types that JSON
// cannot represent. The text of each is one line with its location, the tag, the reason and the fix.
type TypeErrors []error

// Error returns one line per mistake.
func (es TypeErrors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the mistakes, for errors.As.
func (es TypeErrors) Unwrap() []error { return es }

// A typeError is a mistake in TypeErrors.
type typeError private.TypeMistake

// Error returns the mistake in one line: location, tag, reason, fix.
func (e *typeError) Error() string {
	return walk.Line(e.Type, e.Field, e.Path, tag.Mistake{Tag: e.Tag, Reason: e.Reason, Fix: e.Fix})
}

// typeErrors returns mistakes as errors, nil if there are none.
func typeErrors(mistakes []walk.Located) error {
	if len(mistakes) == 0 {
		return nil
	}
	errs := make(TypeErrors, len(mistakes))
	for i, l := range mistakes {
		errs[i] = &typeError{walk.NameOf(l.Owner), l.Path, l.GoPath, l.Tag, l.Reason, l.Fix}
	}
	return errs
}

// registrationErrors returns the mistakes in a registration of a type, nil if there are none.
func registrationErrors(t reflect.Type, function, location string, mistakes []tag.Mistake) error {
	located := make([]walk.Located, len(mistakes))
	for i, m := range mistakes {
		m.Reason = function + " at " + location + ": " + m.Reason
		located[i] = walk.Located{Mistake: m, Location: walk.Location{Owner: t}}
	}
	return typeErrors(located)
}
