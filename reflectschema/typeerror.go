package reflectschema

import (
	"reflect"
	"strings"

	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
	"github.com/mcptool-go/mcptool/reflectschema/internal/walk"
)

// A TypeError is one reason why a Go type cannot be compiled: a mistake in a struct tag, or a type that JSON cannot represent.
type TypeError struct {
	Type   string // Go type with the mistake: "main.WeatherIn"
	Path   string // location in the JSON: "items[].qty"; "" for the root
	Field  string // Go field: "Quantity"; "" if the mistake is in the type itself
	Tag    string // tag, or part of it, with the mistake; "" if it is not in a tag
	Reason string // what is wrong
	Fix    string // what to write instead; "" if that is not known
}

// Error returns the mistake in one line: location, tag, reason, fix.
func (e *TypeError) Error() string {
	return walk.Line(e.Type, e.Field, e.Path, tag.Mistake{Tag: e.Tag, Reason: e.Reason, Fix: e.Fix})
}

// TypeErrors are all mistakes found in one type, in the order of its fields.
type TypeErrors []*TypeError

// Error returns one line per mistake.
func (es TypeErrors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the mistakes, for errors.As.
func (es TypeErrors) Unwrap() []error {
	errs := make([]error, len(es))
	for i, e := range es {
		errs[i] = e
	}
	return errs
}

// typeErrors returns mistakes as errors, nil if there are none.
func typeErrors(mistakes []walk.Located) error {
	if len(mistakes) == 0 {
		return nil
	}
	errs := make(TypeErrors, len(mistakes))
	for i, l := range mistakes {
		errs[i] = &TypeError{walk.NameOf(l.Owner), l.Path, l.GoPath, l.Tag, l.Reason, l.Fix}
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
