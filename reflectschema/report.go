package reflectschema

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// A reporter converts failures to violations.
type reporter struct{ *authority.Authority }

// answer returns the error for failures, of which there must be at least one.
func (a reporter) answer(failures []authority.Failure) *InvalidError {
	e := &InvalidError{Violations: make([]Violation, 0, min(len(failures), codec.MaxViolations)), Total: len(failures)}
	for i := range failures {
		if meant := failures[i].Meant(); meant != nil {
			e.branches = append(e.branches, branchesIn(meant.Location)...)
		}
		v := a.violation(&failures[i])
		if slices.Contains(e.Violations, v) {
			e.Total-- // two parts of the schema require the same
			continue
		}
		if e.Violations = append(e.Violations, v); len(e.Violations) == codec.MaxViolations {
			break
		}
	}
	return e
}

// invalid returns the error for violations that the codec has found.
func invalid(found *codec.Violations) *InvalidError {
	e := &InvalidError{Violations: make([]Violation, len(found.List)), Total: found.Total}
	for i, v := range found.List {
		e.Violations[i] = Violation(v)
	}
	return e
}

// branchesIn returns the pointers to the alternatives that a location in a schema leads through.
func branchesIn(location string) (pointers []string) {
	tokens := strings.Split(jsondoc.FragmentPointer(location), "/")
	for i, token := range tokens {
		if i > 0 && authority.IsIndex(token) && (tokens[i-1] == "oneOf" || tokens[i-1] == "anyOf") {
			pointers = append(pointers, strings.Join(tokens[:i+1], "/"))
		}
	}
	return pointers
}

// check returns nil if v fits s, which must be a part of the schema, and otherwise an *InvalidError. A value that
// cannot be checked does not fit. If the context of the budget has ended before that is known, check returns its error.
func (a reporter) check(s *jsonschema.Schema, v authority.Value, work *authority.Budget) error {
	failures, err := a.Check(s, v, codec.MaxCounted, work)
	switch {
	case err != nil && work.Err() != nil:
		return work.Err()
	case err != nil:
		reason := err.Error()
		if errors.Is(err, authority.ErrPanic) {
			reason = ""
		}
		return invalidAt(nil, Violation{Keyword: keywordCheck, Want: "a value that can be checked", Got: reason})
	case len(failures) == 0:
		return nil
	default:
		return a.answer(failures)
	}
}

// violation converts a failure to a Violation.
func (a reporter) violation(f *authority.Failure) Violation {
	v := Violation{Keyword: f.Keyword, Path: show.Path(f.Path), Pointer: f.Path.Pointer()}
	switch want := f.Want.(type) {
	case int:
		v.Want, v.Got = strconv.Itoa(want), strconv.Itoa(f.Count)
		if f.Keyword == "minContains" || f.Keyword == "maxContains" {
			v.Want = show.Plural(v.Want, "item") + " " + a.matching(f)
		}
	case *big.Rat:
		v.Want, v.Got = show.Rat(want), show.Value(f.Got)
	case []any: // of enum and const
		v.Want, v.Got, v.Suggest = describeEnum(want, f.Got)
	case []string: // of type
		if f.Schema != nil && f.Schema.Enum != nil { // the listed values are more helpful than their type
			v.Keyword = "enum"
			v.Want, v.Got, v.Suggest = describeEnum(f.Schema.Enum.Values, f.Got)
		} else {
			v.Want, v.Got = joinTypes(want), show.Typed(f.Got)
		}
	case [2]int: // of uniqueItems and oneOf
		v.Got = fmt.Sprintf("a value that fits alternatives %d and %d", want[0]+1, want[1]+1)
		if f.Keyword == "uniqueItems" {
			v.Got = fmt.Sprintf("%d and %d", want[0], want[1])
		}
	default:
		text, _ := want.(string)
		a.describe(&v, f, text)
	}
	return v
}

// describe completes a violation of a keyword whose requirement is not a type, a list of values or a number.
func (a reporter) describe(v *Violation, f *authority.Failure, want string) {
	switch f.Keyword {
	case "format":
		text, _ := f.Got.(string)
		v.Want, v.Got = want, authority.WithReason(text, authority.FormatReason(want, text))
	case "pattern":
		v.Want, v.Got = show.Clip(want, 2*show.MaxText), show.Value(f.Got)
	case "dependentRequired", "dependencies":
		v.Want = show.Quote(want, show.MaxName)
	case "required":
		v.Want = show.List(a.TextsOf(f.Schema, f.Name()), func(text string) string { return show.Quote(text, show.MaxText) })
	case "additionalProperties":
		v.Want, v.Suggest = otherNames(f)
	case "propertyNames":
		v.Want, v.Got = a.summary(f.Nested), show.Quote(f.Name(), show.MaxText)
	case "anyOf", "oneOf":
		v.Want, v.Got = a.summary(f.Nested), show.Value(f.Got)
	case "not":
		v.Want, v.Got = a.excerpt(f, "not"), show.Value(f.Got)
	case "contains":
		v.Want = a.matching(f)
	case authority.KeywordFalse:
		v.Got = show.Value(f.Got)
	}
}

// otherNames lists the properties in the schema that the value lacks, and returns the one that was probably meant.
func otherNames(f *authority.Failure) (want, nearest string) {
	obj, _ := f.Got.(map[string]any)
	names := make([]string, 0, len(f.Schema.Properties))
	for name := range f.Schema.Properties {
		if _, given := obj[name]; !given {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return show.List(names, func(name string) string { return show.Quote(name, show.MaxName) }), suggest.Nearest(f.Name(), names)
}

// excerpt returns the value of a keyword in the document, for display.
func (a reporter) excerpt(f *authority.Failure, keyword string) string {
	part := a.Doc.At(jsondoc.FragmentPointer(f.URL())).Get(keyword)
	if part == nil {
		return "the schema's " + keyword
	}
	return show.Clip(string(part.AppendTo(nil)), 2*show.MaxText)
}

// matching describes the items that contains requires: equal to a value, or fitting a part of the document.
func (a reporter) matching(f *authority.Failure) string {
	part := a.Doc.At(jsondoc.FragmentPointer(f.URL())).Get("contains")
	if only := part.Get("const"); only != nil && len(part.Members) == 1 {
		return "equal to " + show.Clip(string(only.AppendTo(nil)), show.MaxText)
	}
	return "fitting " + a.excerpt(f, "contains")
}

// summary joins the sentences of at most three nested failures.
func (a reporter) summary(nested []authority.Failure) string {
	var parts []string
	for i := range nested {
		if line := a.line(&nested[i]); !slices.Contains(parts, line) {
			parts = append(parts, line)
		}
	}
	if more := len(parts) - 3; more > 0 {
		parts = append(parts[:3], fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, "; or ")
}

// line returns the sentence of a nested failure, with its location. It caches the sentence in the failure, which may be
// nested in many others.
func (a reporter) line(f *authority.Failure) string {
	if f.Text != nil && *f.Text != "" {
		return *f.Text
	}
	v := a.violation(f)
	line := show.Clip(ifSet("", v.Path, " ")+sentence(v), 2*show.MaxText)
	if f.Text != nil {
		*f.Text = line
	}
	return line
}

// joinTypes lists each type once, null last.
func joinTypes(types []string) string {
	var list []string
	for _, t := range types {
		if t != "null" && !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	if slices.Contains(types, "null") {
		list = append(list, "null")
	}
	return strings.Join(list, " or ")
}

// describeEnum lists the allowed values, and returns the most similar one, or "".
func describeEnum(allowed []any, got any) (want, came, nearest string) {
	var words []string
	if s, ok := got.(string); ok {
		for _, v := range allowed {
			if word, ok := v.(string); ok {
				words = append(words, word)
			}
		}
		if near := suggest.Nearest(s, words); near != "" {
			nearest = show.Quote(near, show.MaxText)
		}
	}
	return show.List(allowed, show.Value), show.Value(got), nearest
}
