package reflectschema

import (
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
)

// A reporter converts failures to violations.
type reporter struct{ *authority.Authority }

// answer returns the error for failures, of which there must be at least one.
func (a reporter) answer(failures []authority.Failure) *InvalidError {
	e := &InvalidError{Violations: make([]Violation, 0, min(len(failures), codec.MaxFailures)), Total: len(failures)}
	for i := range failures {
		if meant := failures[i].Meant(); meant != nil {
			e.branches = append(e.branches, branchesIn(meant.Location)...)
		}
		v := a.violation(&failures[i])
		if slices.Contains(e.Violations, v) {
			e.Total-- // two parts of the schema require the same
			continue
		}
		if e.Violations = append(e.Violations, v); len(e.Violations) == codec.MaxFailures {
			break
		}
	}
	return e
}

// invalid returns the error for failures of the codec.
func invalid(failures *codec.Failures) *InvalidError {
	e := &InvalidError{Violations: make([]Violation, len(failures.List)), Total: failures.Total}
	for i, f := range failures.List {
		e.Violations[i] = Violation(f)
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
// cannot be checked does not fit.
func (a reporter) check(s *jsonschema.Schema, v authority.Value) error {
	failures, err := a.Check(s, v, codec.MaxCounted)
	switch {
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
