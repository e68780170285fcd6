package authority

import (
	"maps"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// OverBudget is the mistake of a part that is too much work to judge, or to find the mistakes in.
type OverBudget struct{ kind.Not }

// KeywordPath implements [jsonschema.ErrorKind]. No keyword of the schema failed.
func (*OverBudget) KeywordPath() []string { return nil }

// onlyOwn returns what s demands of a value itself and not of its parts, and not by way of other schemas.
func onlyOwn(s *jsonschema.Schema) *jsonschema.Schema {
	own := *s
	own.Ref, own.DynamicRef, own.AllOf, own.AnyOf, own.OneOf = nil, nil, nil, nil, nil
	own.Not, own.If, own.Then, own.Else = nil, nil, nil, nil
	own.Properties, own.PatternProperties, own.AdditionalProperties, own.UnevaluatedProperties = nil, nil, nil, nil
	own.PrefixItems, own.Items2020, own.Items, own.AdditionalItems, own.UnevaluatedItems = nil, nil, nil, nil, nil
	own.Contains, own.MinContains, own.MaxContains = nil, nil, nil
	own.DependentSchemas, own.Dependencies = nil, map[string]any{}
	for name, dependency := range s.Dependencies {
		if _, names := dependency.([]string); names {
			own.Dependencies[name] = dependency
		}
	}
	own.Extensions = slices.DeleteFunc(slices.Clone(s.Extensions), func(ext jsonschema.SchemaExt) bool {
		_, own := ext.(uniqueItems)
		return !own
	})
	return &own
}

// fitsSize reports whether v has no more members or items than s allows: of one that has more the parts do not matter.
func (a *Authority) fitsSize(s *jsonschema.Schema, v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return within(len(v), nil, s.MaxProperties)
	case []any:
		return within(len(v), nil, s.MaxItems)
	default:
		return true
	}
}

// sameValue checks v against the schemas that s applies to it as well.
func (w *walk) sameValue(s *jsonschema.Schema, v any, at []string) {
	subs := append([]*jsonschema.Schema{s.Ref}, s.AllOf...)
	if s.DynamicRef != nil {
		subs = append(subs, s.DynamicRef.Ref)
	}
	if obj, ok := v.(map[string]any); ok {
		subs = append(subs, dependentOf(s, obj)...)
	}
	for _, d := range discriminatedOf(s) {
		branch := d.branch(v)
		if branch == nil {
			w.whole(&jsonschema.Schema{Location: s.Location, DraftVersion: s.DraftVersion, Extensions: []jsonschema.SchemaExt{d}}, v, at)
		}
		subs = append(subs, branch)
	}
	if s.If != nil {
		if valid, known := w.auth.evaluate(s.If, v, &w.cost.budget); known && valid {
			subs = append(subs, s.Then)
		} else if known {
			subs = append(subs, s.Else)
		}
	}
	for _, sub := range subs {
		if sub != nil {
			w.value(sub, v, at)
		}
	}
	if s.Not != nil {
		if valid, known := w.auth.evaluate(s.Not, v, &w.cost.budget); known && valid {
			w.add(s, at, &kind.Not{}, nil)
		}
	}
	if len(s.AnyOf) > 0 && len(w.fitting(s.AnyOf, v, 1)) == 0 {
		w.add(s, at, &kind.AnyOf{}, w.arms(s.AnyOf, v, at))
	}
	if len(s.OneOf) > 0 {
		switch fitting := w.fitting(s.OneOf, v, 2); len(fitting) {
		case 0:
			w.add(s, at, &kind.OneOf{}, w.arms(s.OneOf, v, at))
		case 2:
			w.add(s, at, &kind.OneOf{Subschemas: fitting}, nil)
		}
	}
}

// dependentOf returns the schemas that members of obj make s apply to it.
func dependentOf(s *jsonschema.Schema, obj map[string]any) (subs []*jsonschema.Schema) {
	for _, name := range slices.Sorted(maps.Keys(s.DependentSchemas)) {
		if _, given := obj[name]; given {
			subs = append(subs, s.DependentSchemas[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Dependencies)) {
		sub, isSchema := s.Dependencies[name].(*jsonschema.Schema)
		if _, given := obj[name]; given && isSchema {
			subs = append(subs, sub)
		}
	}
	return subs
}

// fitting returns the indices of the first n alternatives that v fits. One without a verdict counts as fitting: the
// mistake, if there is one, is elsewhere.
func (w *walk) fitting(alternatives []*jsonschema.Schema, v any, n int) (fitting []int) {
	for i, sub := range alternatives {
		valid, known := w.auth.evaluate(sub, v, &w.cost.budget)
		if !known {
			return []int{i}
		}
		if valid {
			if fitting = append(fitting, i); len(fitting) == n {
				break
			}
		}
	}
	return fitting
}

// arms returns what is wrong with v under each alternative.
func (w *walk) arms(alternatives []*jsonschema.Schema, v any, at []string) (causes []*jsonschema.ValidationError) {
	for _, sub := range alternatives {
		arm := walk{auth: w.auth, limit: w.limit - w.found, cost: w.cost}
		arm.value(sub, v, at)
		causes = append(causes, &jsonschema.ValidationError{
			SchemaURL: sub.Location, InstanceLocation: slices.Clone(at), ErrorKind: &kind.Group{}, Causes: arm.failures,
		})
	}
	return causes
}

// names checks the names of the members of obj.
func (w *walk) names(s *jsonschema.Schema, obj map[string]any, at []string) {
	for _, ext := range s.Extensions {
		p, ok := ext.(propertyNames)
		if !ok {
			continue
		}
		for _, name := range w.sorted(maps.Keys(obj), len(obj)) {
			if w.found >= w.limit || w.cost.work < 0 {
				return
			}
			if valid, _ := w.auth.evaluate(p.names, name, &w.cost.budget); !valid {
				w.whole(&jsonschema.Schema{Location: s.Location, DraftVersion: s.DraftVersion, Extensions: []jsonschema.SchemaExt{p}}, map[string]any{name: nil}, at)
			}
		}
	}
}

// contains checks how many items of arr fit.
func (w *walk) contains(s *jsonschema.Schema, arr []any, at []string) {
	if s.Contains == nil {
		return
	}
	var matched []int
	for i, v := range arr {
		valid, known := w.auth.evaluate(s.Contains, v, &w.cost.budget)
		if !known {
			return
		}
		if valid {
			matched = append(matched, i)
		}
	}
	switch {
	case s.MinContains != nil && len(matched) < *s.MinContains:
		w.add(s, at, &kind.MinContains{Got: matched, Want: *s.MinContains}, nil)
	case s.MinContains == nil && len(matched) == 0:
		w.add(s, at, &kind.Contains{}, nil)
	}
	if s.MaxContains != nil && len(matched) > *s.MaxContains {
		w.add(s, at, &kind.MaxContains{Got: matched, Want: *s.MaxContains}, nil)
	}
}

// unevaluated checks the parts of v that nothing else in s has evaluated.
func (w *walk) unevaluated(s *jsonschema.Schema, v any, at []string) {
	if s.UnevaluatedProperties == nil && s.UnevaluatedItems == nil || w.found >= w.limit {
		return
	}
	e := newEvaluator(w.auth, w.cost.budget)
	ev := e.evaluatedBy(s, v)
	w.cost.work = e.work
	if ev == nil || e.over {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		if s.UnevaluatedProperties == nil {
			break
		}
		for _, name := range w.sorted(ev.others(), len(v)) {
			w.value(s.UnevaluatedProperties, v[name], append(at, name))
		}
	case []any:
		for i, item := range v {
			if !ev.seen[i] && s.UnevaluatedItems != nil {
				w.value(s.UnevaluatedItems, item, append(at, strconv.Itoa(i)))
			}
		}
	}
}

// partsOf returns how many values v is made of, at most limit.
func partsOf(v any, limit int) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			if n >= limit {
				break
			}
			n += partsOf(member, limit-n)
		}
	case []any:
		for _, item := range v {
			if n >= limit {
				break
			}
			n += partsOf(item, limit-n)
		}
	}
	return min(n, limit)
}
