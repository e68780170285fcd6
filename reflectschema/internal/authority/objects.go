package authority

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// members applies the keywords for the members of an object.
func (e *evaluator) members(s *jsonschema.Schema, v any, ev *evaluated) bool {
	obj, isObject := v.(map[string]any)
	if !isObject {
		return true
	}
	ok := e.dependent(s, obj, ev)
	if e.ended(ok) || s.Properties == nil && s.PatternProperties == nil && s.AdditionalProperties == nil && s.PropertyNames == nil {
		return ok
	}
	if ev == nil && !e.collects() {
		for name, v := range obj {
			if valid, _ := e.member(s, obj, member{name, v}); !valid || e.over {
				return false
			}
		}
		return ok
	}
	var members []member
	if ev != nil {
		members = ev.members
	} else {
		members = membersOf(obj, &e.budget)
	}
	for i, m := range members {
		valid, isEvaluated := e.member(s, obj, m)
		if ok = valid && ok; e.ended(ok) {
			return false
		}
		if isEvaluated && ev != nil {
			ev.seen[i] = true
		}
	}
	return ok
}

// dependent applies dependentSchemas, dependentRequired and dependencies.
func (e *evaluator) dependent(s *jsonschema.Schema, obj map[string]any, ev *evaluated) bool {
	ok := true
	if len(s.DependentSchemas)+len(s.DependentRequired)+len(s.Dependencies) == 0 {
		return ok
	}
	e.spend(len(s.DependentSchemas) + len(s.DependentRequired) + len(s.Dependencies))
	for _, name := range givenIn(obj, s.DependentRequired) {
		if !e.ended(ok) {
			ok = e.hasNames(s, "dependentRequired", name, s.DependentRequired[name], obj) && ok
		}
	}
	for _, name := range givenIn(obj, s.DependentSchemas) {
		if !e.ended(ok) {
			ok = e.valid(s.DependentSchemas[name], obj, ev) && ok
		}
	}
	for _, name := range givenIn(obj, s.Dependencies) {
		if e.ended(ok) {
			return false
		}
		switch dependency := s.Dependencies[name].(type) {
		case []string:
			ok = e.hasNames(s, "dependencies", name, dependency, obj) && ok
		case *jsonschema.Schema:
			ok = e.valid(dependency, obj, ev) && ok
		}
	}
	return ok
}

// givenIn returns the names in a keyword that obj has, in order.
func givenIn[V any](obj map[string]any, keyword map[string]V) []string {
	var names []string
	for name := range keyword {
		if _, given := obj[name]; given {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// hasNames applies a keyword that requires members with the names. because is the member whose presence requires them,
// "" for the keyword required.
func (e *evaluator) hasNames(s *jsonschema.Schema, keyword, because string, names []string, obj map[string]any) bool {
	e.spend(len(names) / bytesWork)
	ok := true
	for _, name := range names {
		if _, given := obj[name]; given {
			continue
		}
		if ok = e.record(Failure{Keyword: keyword, Schema: s, Want: because}, memberStep(name)); e.ended(ok) {
			break
		}
	}
	return ok
}

// A member is a member of an object.
type member struct {
	name  string
	value any
}

// memberStep returns the step to a member.
func memberStep(name string) jsondoc.Step {
	return jsondoc.Step{Name: name, Index: jsondoc.NamedMember}
}

// membersOf returns the members of obj, sorted by name, so that the same failures are within a limit in each run.
func membersOf(obj map[string]any, b *budget) []member {
	if b.spend(sortWork * len(obj)); b.over {
		return nil
	}
	members := make([]member, 0, len(obj))
	for name, value := range obj {
		members = append(members, member{name, value})
	}
	slices.SortFunc(members, func(x, y member) int { return strings.Compare(x.name, y.name) })
	return members
}

// member applies the keywords for members to one member, and reports whether the member is evaluated by properties,
// patternProperties or additionalProperties.
func (e *evaluator) member(s *jsonschema.Schema, obj map[string]any, m member) (ok, isEvaluated bool) {
	e.spend(memberWork + len(m.name)/nameWork)
	ok = s.PropertyNames == nil || e.isNameAllowed(s, m.name)
	step := memberStep(m.name)
	if sub := s.Properties[m.name]; sub != nil && !e.ended(ok) {
		isEvaluated = true
		ok = e.part(sub, m.value, step) && ok
	}
	for pattern, sub := range s.PatternProperties {
		if e.ended(ok) {
			return false, isEvaluated
		}
		if e.matches(pattern, m.name) {
			isEvaluated = true
			ok = e.part(sub, m.value, step) && ok
		}
	}
	if isEvaluated || s.AdditionalProperties == nil || e.ended(ok) {
		return ok, isEvaluated
	}
	switch rest := s.AdditionalProperties.(type) {
	case *jsonschema.Schema:
		ok = e.part(rest, m.value, step) && ok
	case bool:
		if !rest {
			ok = e.record(Failure{Keyword: "additionalProperties", Schema: s, Got: obj}, step)
		}
	}
	return ok, true
}

// isNameAllowed applies propertyNames to a name. It records one failure, in which the failures of the name are nested.
func (e *evaluator) isNameAllowed(s *jsonschema.Schema, name string) bool {
	outer, path := e.scalars, e.path
	e.scalars, e.path = nil, nil
	failures, ok := e.apart(s.PropertyNames, name, nil)
	e.scalars, e.path = outer, path
	return ok || e.record(Failure{Keyword: "propertyNames", Schema: s, Nested: failures}, memberStep(name))
}
