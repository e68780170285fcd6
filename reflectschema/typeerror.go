package reflectschema

import (
	"strings"

	"github.com/mcptool-go/mcptool/internal/fatalpanic"
)

// A TypeError is one reason why a Go type cannot be derived: a mistake in a
// struct tag, or a type that JSON has no room for.
type TypeError struct {
	Type   string // Go type that holds the mistake: "main.WeatherIn"
	Path   string // where it is in the JSON: "items[].qty", "" for the root
	Field  string // Go field: "Quantity", "" when the type itself is at mistake
	Tag    string // the tag, or the part of it, that is at mistake; "" when none is
	Reason string // what is wrong
	Fix    string // what to write instead; "" when there is no one answer
}

// Error is one line: where, what is wrong, what to write instead.
func (e *TypeError) Error() string {
	var b strings.Builder
	b.WriteString(e.Type)
	if e.Field != "" {
		b.WriteString("." + e.Field)
	}
	if e.Path != "" {
		b.WriteString(" (" + e.Path + ")")
	}
	b.WriteString(": ")
	if e.Tag != "" {
		b.WriteString("`" + e.Tag + "`: ")
	}
	b.WriteString(e.Reason)
	if e.Fix != "" {
		b.WriteString("; " + e.Fix)
	}
	return b.String()
}

// TypeErrors is every mistake found in one type, in the order of its fields.
type TypeErrors []*TypeError

// Error is one line per mistake.
//
// The runtime calls it to print a panic of [Union] that nobody has recovered. Then Error
// ends the program with the same text, so that no stack trace follows it.
func (es TypeErrors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	text := strings.Join(lines, "\n")
	fatalpanic.Exit(ownPackage, text)
	return text
}

// Unwrap lets errors.As find a single mistake.
func (es TypeErrors) Unwrap() []error {
	errs := make([]error, len(es))
	for i, e := range es {
		errs[i] = e
	}
	return errs
}

// A mistake is an author's, before its location is known.
type mistake struct {
	tag    string
	reason string
	fix    string
}
