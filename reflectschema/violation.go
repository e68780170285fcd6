package reflectschema

import (
	"errors"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// Values of Violation.Keyword that are not keywords of JSON Schema (package codec has two more).
const (
	keywordJSON  = "json"     // the data is not strict JSON
	keywordCheck = "internal" // the value could not be checked
)

// A Violation is a location in a value that does not fit the schema. [InvalidError.Error] returns its text.
type Violation struct {
	// Path is the location in dotted form, items[2].qty; empty for the whole value. Long names and paths are shortened.
	Path string
	// Pointer is the same location as a JSON pointer (RFC 6901). It is empty for the whole value, and if it would exceed
	// 4096 bytes.
	Pointer string
	// Keyword is the JSON Schema keyword that the value violates, such as "maximum"; "false" if the schema is false; or, if
	// there is no such keyword: "json" if the data is not strict JSON, "decode" if the Go type cannot hold the value,
	// "encode" if the Go value cannot be written, "internal" if the value cannot be checked.
	Keyword string
	// Want is the requirement of the keyword, such as `10` or `"celsius", "fahrenheit"`; empty if the keyword needs no
	// value.
	Want string
	// Got is the actual value or count, shortened; empty if something is missing.
	Got string
	// Suggest is the most similar allowed name or value; empty if none is similar.
	Suggest string
}

// An InvalidError reports that a JSON value does not fit a schema, or that a Go value does not fit the schema of its
// type. It is immutable and safe for concurrent use. An InvalidError made from the exported fields of another one has
// the same text, without the example.
type InvalidError struct {
	// Violations are the first violations, at least one and at most ten, ordered by pointer.
	Violations []Violation
	// Total is the number of violations found. Counting stops at 1000; Total is then a lower bound.
	Total int

	// shown makes the example; nil if none is shown.
	shown exampler
	// branches are pointers to the alternatives in the schema that contain the violations or were probably meant. The
	// example keeps to them.
	branches []string
}

// An exampler finds an example of a value that fits: for a schema, or also for a Go type.
type exampler interface {
	example(about []Violation, branches []string) string
}

// withExample makes an *InvalidError show an example.
func withExample(err error, from exampler) error {
	if invalid, ok := errors.AsType[*InvalidError](err); ok {
		invalid.shown = from
	}
	return err
}

// invalidAt returns the error for a single violation.
func invalidAt(p jsondoc.Path, v Violation) *InvalidError {
	v.Path, v.Pointer = show.Path(p), p.Pointer()
	return &InvalidError{Violations: []Violation{v}, Total: 1}
}

// add adds the violations of the Go type to the violations of its schema, except where both are about one location.
func (e *InvalidError) add(err error) {
	more := (*InvalidError)(nil)
	if !errors.As(err, &more) || e.Total > len(e.Violations) {
		return
	}
	for _, v := range more.Violations {
		isPattern := func(schema Violation) bool { return schema.Keyword == "pattern" && schema.Pointer == v.Pointer }
		if i := slices.IndexFunc(e.Violations, isPattern); i >= 0 && v.Keyword == codec.KeywordDecode {
			e.Violations[i] = v // the type explains more than a regular expression
			continue
		}
		if v.Keyword == keywordCheck {
			continue // the budget is used up, which says nothing about the value
		}
		if len(e.Violations) < codec.MaxViolations && !slices.ContainsFunc(e.Violations, v.echoes) {
			e.Violations = append(e.Violations, v)
			e.Total++
		}
	}
	e.sort()
}

// echoes reports whether v, a violation of the Go type, may only repeat one of the schema: at the same location, at a
// location above it, or inside alternatives.
func (v Violation) echoes(schema Violation) bool {
	switch {
	case v.Pointer == schema.Pointer || strings.HasPrefix(schema.Pointer, v.Pointer+"/"):
		return true
	case schema.Keyword == "anyOf" || schema.Keyword == "oneOf":
		return strings.HasPrefix(v.Pointer, schema.Pointer+"/")
	default:
		return false
	}
}

// sort orders the violations by location.
func (e *InvalidError) sort() {
	slices.SortStableFunc(e.Violations, func(a, b Violation) int {
		return slices.CompareFunc(jsondoc.Tokens(a.Pointer), jsondoc.Tokens(b.Pointer), authority.CompareTokens)
	})
}

// parseStrict reads strict JSON. Any other input is an *InvalidError.
func parseStrict(data []byte) (authority.Value, error) {
	v, err := authority.Parse(data)
	if bad := (*authority.NotStrictError)(nil); errors.As(err, &bad) {
		return v, invalidAt(bad.At, Violation{Keyword: keywordJSON, Want: bad.Want, Got: bad.Got})
	}
	return v, err
}
