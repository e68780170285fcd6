package authority

import "github.com/santhosh-tekuri/jsonschema/v6"

// members applies the keywords for the members of an object.
func (e *evaluator) members(s *jsonschema.Schema, obj map[string]any, ev *evaluated) bool {
	ok := true
	for name, sub := range s.DependentSchemas {
		if _, given := obj[name]; given {
			if ok = e.valid(sub, obj, ev) && ok; e.ended(ok) {
				return false
			}
		}
	}
	for name, dependency := range s.Dependencies {
		sub, isSchema := dependency.(*jsonschema.Schema)
		if _, given := obj[name]; given && isSchema {
			if ok = e.valid(sub, obj, ev) && ok; e.ended(ok) {
				return false
			}
		}
	}
	if s.Properties == nil && s.PatternProperties == nil && s.AdditionalProperties == nil {
		return ok
	}
	for name, v := range obj {
		if ok = e.member(s, name, v, ev) && ok; e.ended(ok) {
			return false
		}
	}
	return ok
}

// member is members for one of them.
func (e *evaluator) member(s *jsonschema.Schema, name string, v any, ev *evaluated) bool {
	ok, known := true, false
	if sub := s.Properties[name]; sub != nil {
		known = true
		ok = e.part(sub, v)
	}
	for re, sub := range s.PatternProperties {
		if e.ended(ok) {
			return false
		}
		if e.matches(re, name) {
			known = true
			ok = e.part(sub, v) && ok
		}
	}
	if !known && s.AdditionalProperties != nil {
		known = true
		switch rest := s.AdditionalProperties.(type) {
		case *jsonschema.Schema:
			ok = e.part(rest, v) && ok
		case bool:
			ok = rest && ok
			if !rest {
				e.listed++
			}
		}
	}
	if known {
		ev.addMember(name)
	}
	return ok
}

// items applies the keywords for the items of an array.
func (e *evaluator) items(s *jsonschema.Schema, arr []any, ev *evaluated) bool {
	heads, rest, closed := itemsOf(s)
	ok := true
	for i, v := range arr {
		sub := rest
		if i < len(heads) {
			sub = heads[i]
		}
		switch {
		case sub != nil:
			ok = e.part(sub, v) && ok
		case closed:
			ok = false
		default:
			return e.contains(s, arr, ev) && ok
		}
		ev.addItem(i)
		if e.ended(ok) {
			return false
		}
	}
	return e.contains(s, arr, ev) && ok
}

// itemsOf returns the schemas of the first items and that of the others, nil if there may be any; closed means
// that there may be no others. Which keyword rules an item depends on the dialect; the other one's are nil.
func itemsOf(s *jsonschema.Schema) (heads []*jsonschema.Schema, rest *jsonschema.Schema, closed bool) {
	heads, rest = s.PrefixItems, s.Items2020
	switch items := s.Items.(type) { // draft-07
	case *jsonschema.Schema:
		rest = items
	case []*jsonschema.Schema:
		heads = items
		rest, _ = s.AdditionalItems.(*jsonschema.Schema)
		allowed, isBool := s.AdditionalItems.(bool)
		closed = isBool && !allowed
	}
	return heads, rest, closed
}

// contains applies contains, minContains and maxContains.
func (e *evaluator) contains(s *jsonschema.Schema, arr []any, ev *evaluated) bool {
	if s.Contains == nil {
		return true
	}
	least, n := 1, 0
	if s.MinContains != nil {
		least = *s.MinContains
	}
	for i, v := range arr {
		if e.over {
			return false
		}
		if !e.part(s.Contains, v) {
			continue
		}
		n++
		if s.DraftVersion >= 2020 {
			ev.addItem(i)
		}
		if ev == nil && !e.all && n >= least && s.MaxContains == nil {
			return true
		}
	}
	return n >= least && (s.MaxContains == nil || n <= *s.MaxContains)
}

// unevaluated applies unevaluatedProperties and unevaluatedItems.
func (e *evaluator) unevaluated(s *jsonschema.Schema, v any, ev *evaluated) bool {
	ok := true
	switch v := v.(type) {
	case map[string]any:
		if s.UnevaluatedProperties == nil {
			break
		}
		for name, member := range v {
			if !ev.names[name] {
				if ok = e.part(s.UnevaluatedProperties, member) && ok; e.ended(ok) {
					return false
				}
				ev.addMember(name)
			}
		}
	case []any:
		if s.UnevaluatedItems == nil {
			break
		}
		for i, item := range v {
			if !ev.items[i] {
				if ok = e.part(s.UnevaluatedItems, item) && ok; e.ended(ok) {
					return false
				}
				ev.addItem(i)
			}
		}
	}
	return ok
}

// evaluated holds the parts of an object or array that the keywords of a schema have evaluated, which
// unevaluatedProperties and unevaluatedItems leave alone. A nil one is told nothing.
type evaluated struct {
	names map[string]bool
	items []bool
}

// evaluatedFor returns a place for what s evaluates in v, nil if nobody asks.
func evaluatedFor(s *jsonschema.Schema, v any, outer *evaluated) *evaluated {
	switch v := v.(type) {
	case map[string]any:
		if outer != nil || s.UnevaluatedProperties != nil {
			return &evaluated{names: map[string]bool{}}
		}
	case []any:
		if outer != nil || s.UnevaluatedItems != nil {
			return &evaluated{items: make([]bool, len(v))}
		}
	}
	return nil
}

// evaluatedBy returns the parts of v that the keywords of s evaluate, unevaluatedProperties and unevaluatedItems aside,
// also where v does not fit; nil if s does not ask for them.
func (e *evaluator) evaluatedBy(s *jsonschema.Schema, v any) *evaluated {
	ev := evaluatedFor(s, v, nil)
	if ev == nil {
		return nil
	}
	e.references(s, v, ev)
	switch v := v.(type) {
	case map[string]any:
		e.members(s, v, ev)
	case []any:
		e.items(s, v, ev)
	}
	e.alternatives(s, v, ev)
	e.extensions(s, v, ev)
	return ev
}

func (ev *evaluated) addMember(name string) {
	if ev != nil {
		ev.names[name] = true
	}
}

func (ev *evaluated) addItem(i int) {
	if ev != nil {
		ev.items[i] = true
	}
}

// merge adds what a subschema has evaluated, and returns how much work that was.
func (ev *evaluated) merge(sub *evaluated) int {
	if sub == nil {
		return 0
	}
	for name := range sub.names {
		ev.names[name] = true
	}
	for i, is := range sub.items {
		ev.items[i] = ev.items[i] || is
	}
	return nameWork*len(sub.names) + len(sub.items)/bytesWork
}
