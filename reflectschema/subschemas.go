package reflectschema

import (
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// inPlace returns the subschemas that s applies to the same value it is applied
// to itself.
func inPlace(s *jsonschema.Schema) []*jsonschema.Schema {
	list := slices.Concat(
		[]*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else},
		s.AllOf, s.AnyOf, s.OneOf,
		slices.Collect(maps.Values(s.DependentSchemas)),
	)
	if s.DynamicRef != nil {
		list = append(list, s.DynamicRef.Ref)
	}
	for _, d := range discriminatedOf(s) {
		list = append(list, d.branches...)
	}
	for _, dep := range s.Dependencies {
		if sub, ok := dep.(*jsonschema.Schema); ok {
			list = append(list, sub)
		}
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
