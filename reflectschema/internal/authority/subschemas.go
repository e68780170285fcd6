package authority

import (
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// inPlace returns the subschemas that s applies to the same value as itself.
func inPlace(s *jsonschema.Schema) []*jsonschema.Schema {
	list := slices.Concat(
		[]*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else},
		s.AllOf, s.AnyOf, s.OneOf,
		slices.Collect(maps.Values(s.DependentSchemas)),
	)
	if s.DynamicRef != nil {
		list = append(list, s.DynamicRef.Ref)
	}
	for _, dep := range s.Dependencies {
		sub, _ := dep.(*jsonschema.Schema)
		list = append(list, sub)
	}
	return slices.DeleteFunc(list, func(s *jsonschema.Schema) bool { return s == nil })
}

// subschemas returns every subschema that s refers to, in no particular order.
func subschemas(s *jsonschema.Schema) []*jsonschema.Schema {
	list := slices.Concat(
		inPlace(s),
		[]*jsonschema.Schema{
			s.PropertyNames, s.UnevaluatedProperties, s.UnevaluatedItems,
			s.Contains, s.Items2020, s.ContentSchema,
		},
		s.PrefixItems,
		slices.Collect(maps.Values(s.Properties)),
		slices.Collect(maps.Values(s.PatternProperties)),
	)
	for _, sub := range []any{s.AdditionalProperties, s.AdditionalItems, s.Items} {
		switch sub := sub.(type) {
		case *jsonschema.Schema:
			list = append(list, sub)
		case []*jsonschema.Schema:
			list = append(list, sub...)
		}
	}
	return slices.DeleteFunc(list, func(s *jsonschema.Schema) bool { return s == nil })
}

// Loop returns a schema that applies itself to the same value again, so that it
// could not be evaluated; nil if there is none.
func (a *Authority) Loop() *jsonschema.Schema {
	const entered, left = 1, 2
	state := map[*jsonschema.Schema]int{}
	var visit func(s *jsonschema.Schema) *jsonschema.Schema
	visit = func(s *jsonschema.Schema) *jsonschema.Schema {
		switch state[s] {
		case entered:
			return s
		case left:
			return nil
		}
		state[s] = entered
		for _, sub := range inPlace(s) {
			if loop := visit(sub); loop != nil {
				return loop
			}
		}
		state[s] = left
		return nil
	}
	for _, location := range slices.Sorted(maps.Keys(a.At)) {
		if loop := visit(a.At[location]); loop != nil {
			return loop
		}
	}
	return nil
}
