package authority

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// alternatives applies anyOf, oneOf, not, and if with then and else.
func (e *evaluator) alternatives(s *jsonschema.Schema, v any, ev *evaluated) bool {
	ok := true
	if len(s.AnyOf) > 0 {
		ok = e.branches(s, "anyOf", v, ev)
	}
	if len(s.OneOf) > 0 && !e.ended(ok) {
		ok = e.branches(s, "oneOf", v, ev) && ok
	}
	if s.Not != nil && !e.ended(ok) && e.decide(func() bool { return e.valid(s.Not, v, ev) }) {
		ok = e.fail(s, "not", v, nil)
	}
	if s.If != nil && !e.ended(ok) {
		branch := s.Else
		if e.decide(func() bool { return e.valid(s.If, v, ev) }) {
			branch = s.Then
		}
		if branch != nil {
			ok = e.valid(branch, v, ev) && ok
		}
	}
	return ok
}

// branches applies anyOf or oneOf. After a valid alternative, the others are tried only if another one must not be valid,
// or to record which parts of the value are evaluated.
func (e *evaluator) branches(s *jsonschema.Schema, keyword string, v any, ev *evaluated) bool {
	isOne := keyword == "oneOf"
	branches, d := s.AnyOf, e.auth.unions[s].anyOf
	if isOne {
		branches, d = s.OneOf, e.auth.unions[s].oneOf
	}
	if d != nil {
		return e.discriminated(s, d, v, ev)
	}
	first := -1
	var arms [][]Failure
	for i, sub := range branches {
		if first >= 0 {
			if e.decide(func() bool { return e.valid(sub, v, ev) }) && isOne {
				return e.fail(s, keyword, v, [2]int{first, i})
			}
			continue
		}
		failures, ok := e.apart(sub, v, ev)
		if ok && !isOne && ev == nil {
			return true
		}
		if ok {
			first = i
		}
		arms = append(arms, failures)
	}
	if first < 0 {
		e.none(s, keyword, v, arms)
	}
	return first >= 0
}

// discriminated applies an anyOf or oneOf with a discriminator. It applies only the alternative that v selects, so the
// failures are the failures of this alternative.
func (e *evaluator) discriminated(s *jsonschema.Schema, d *discriminated, v any, ev *evaluated) bool {
	obj, isObject := v.(map[string]any)
	value, given := obj[d.name]
	text, isText := value.(string)
	branch := d.branches[text]
	switch {
	case isText && branch != nil:
		return e.valid(branch, v, ev)
	case !e.collects():
		return false
	case !isObject:
		return e.fail(s, "type", v, []string{"object"})
	case !given:
		return e.record(Failure{Keyword: "required", Schema: s}, memberStep(d.name))
	default:
		return e.record(Failure{Keyword: "enum", Schema: s, Got: value, Want: d.want, union: d}, memberStep(d.name))
	}
}

// none records that v is not valid for any of several alternatives, whose failures are arms. It removes alternatives
// that were not meant: first alternatives of another type, then those with another const or enum in a member. If one
// remains, its failures are recorded; otherwise a single failure, in which the first failure of each is nested.
func (e *evaluator) none(s *jsonschema.Schema, keyword string, v any, arms [][]Failure) {
	if e.found == nil || e.found.full || e.over || e.room <= 0 {
		return
	}
	depth := len(e.path)
	for _, arm := range arms {
		e.spend(len(arm))
		slices.SortFunc(arm, func(x, y Failure) int { return compareFailures(depth, &x, &y) })
	}
	meant := slices.DeleteFunc(slices.Clone(arms), func(arm []Failure) bool {
		return slices.ContainsFunc(arm, func(f Failure) bool { return f.Keyword == "type" && len(f.Path) == depth })
	})
	if len(meant) > 1 {
		tagged := slices.DeleteFunc(slices.Clone(meant), func(arm []Failure) bool {
			return slices.ContainsFunc(arm, func(f Failure) bool { return f.isTag() && len(f.Path) == depth+1 })
		})
		if len(tagged) > 0 {
			meant = tagged
		}
	}
	if len(meant) == 0 {
		meant = arms
	}
	if len(meant) == 1 {
		e.add(meant[0])
		return
	}
	f := Failure{Keyword: keyword, Schema: s, Got: v, Text: new(string)}
	for _, arm := range meant {
		if i := slices.IndexFunc(arm, func(f Failure) bool { return f.isTag() }); i > 0 {
			arm = arm[i:] // the failure of const or enum identifies the alternative best
		}
		same := func(other Failure) bool { return compareFailures(depth, &arm[0], &other) == 0 }
		if len(arm) > 0 && !slices.ContainsFunc(f.Nested, same) {
			f.Nested = append(f.Nested, arm[0])
		}
	}
	if merged, ok := merge(f.Nested, depth); ok {
		e.add([]Failure{merged})
		return
	}
	e.room -= len(f.Nested)
	f.Path = slices.Clone(e.path)
	e.add([]Failure{f})
}

// merge combines several failures at one location, if all are about types, all are about values, or all require the
// same member. It reports false for other failures. Their paths have the first depth steps in common.
func merge(list []Failure, depth int) (Failure, bool) {
	var types []string
	var values []any
	var isType, isValue, isRequired bool
	for _, f := range list {
		if compareLocations(depth, &f, &list[0]) != 0 {
			return Failure{}, false
		}
		switch want := f.Want.(type) {
		case []string:
			types, isType = append(types, want...), true
		case []any:
			values, isValue = append(values, want...), true
		default:
			if f.Keyword != "required" {
				return Failure{}, false
			}
			isRequired = true
		}
	}
	switch {
	case isType && !isValue && !isRequired:
		list[0].Want, list[0].Schema = types, nil
	case isValue && !isType && !isRequired:
		list[0].Keyword, list[0].Want = "enum", values
	case !isRequired || isType || isValue:
		return Failure{}, false
	}
	return list[0], true
}

// isTag reports whether the failure is about a keyword that usually distinguishes alternatives.
func (f *Failure) isTag() bool { return f.Keyword == "const" || f.Keyword == "enum" }
