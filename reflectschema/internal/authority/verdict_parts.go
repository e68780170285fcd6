package authority

import (
	"iter"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// members applies the keywords for the members of an object.
func (e *evaluator) members(s *jsonschema.Schema, obj map[string]any, ev *evaluated) bool {
	ok := true
	e.spend((len(s.DependentSchemas) + len(s.Dependencies)) / lookupWork)
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
	if ev != nil {
		return e.recorded(s, ok, ev)
	}
	for name, v := range obj {
		if ok, _ = e.member(s, name, v, ok); e.ended(ok) {
			return false
		}
	}
	return ok
}

// recorded applies the keywords for the members one by one, and records which of them a keyword applies to.
func (e *evaluator) recorded(s *jsonschema.Schema, ok bool, ev *evaluated) bool {
	for i, m := range ev.members {
		var known bool
		if ok, known = e.member(s, m.name, m.value, ok); e.ended(ok) {
			return false
		}
		ev.seen[i] = ev.seen[i] || known
	}
	return ok
}

// member is members for one of them, after others that are valid if ok is true. It also returns whether a keyword applies
// to it.
func (e *evaluator) member(s *jsonschema.Schema, name string, v any, ok bool) (valid, known bool) {
	if sub := s.Properties[name]; sub != nil {
		known = true
		ok = e.part(sub, v) && ok
	}
	for re, sub := range s.PatternProperties {
		if e.ended(ok) {
			return false, known
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
	return ok, known
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
		for i, m := range ev.members {
			if ok = e.rest(s.UnevaluatedProperties, m.value, i, ev) && ok; e.ended(ok) {
				return false
			}
		}
	case []any:
		if s.UnevaluatedItems == nil {
			break
		}
		for i, item := range v {
			if ok = e.rest(s.UnevaluatedItems, item, i, ev) && ok; e.ended(ok) {
				return false
			}
		}
	}
	return ok
}

// rest is unevaluated for one part, unless something else has evaluated it.
func (e *evaluator) rest(s *jsonschema.Schema, v any, i int, ev *evaluated) bool {
	if ev.seen[i] {
		return true
	}
	ev.seen[i] = true
	return e.part(s, v)
}

// evaluated holds which parts of an object or array the keywords of a schema have evaluated: unevaluatedProperties and
// unevaluatedItems apply to the others. A nil one records nothing.
type evaluated struct {
	members []member // of an object, in any order; shared by the schemas that apply to it
	seen    []bool   // of each member or item
}

// A member is one of an object.
type member struct {
	name  string
	value any
}

// evaluatedFor returns a place for what s evaluates in v, nil if nobody asks.
func (e *evaluator) evaluatedFor(s *jsonschema.Schema, v any, outer *evaluated) *evaluated {
	var members []member
	var parts int
	switch v := v.(type) {
	case map[string]any:
		parts = len(v)
		switch {
		case outer != nil:
			members = outer.members
		case s.UnevaluatedProperties != nil:
			e.spend(parts)
			members = make([]member, 0, parts)
			for name, value := range v {
				members = append(members, member{name, value})
			}
		default:
			return nil
		}
	case []any:
		parts = len(v)
		if outer == nil && s.UnevaluatedItems == nil {
			return nil
		}
	default:
		return nil
	}
	e.spend(parts / bytesWork)
	return &evaluated{members: members, seen: make([]bool, parts)}
}

// evaluatedBy returns the parts of v that the keywords of s evaluate, unevaluatedProperties and unevaluatedItems aside,
// also where v does not fit; nil if s does not ask for them.
func (e *evaluator) evaluatedBy(s *jsonschema.Schema, v any) *evaluated {
	ev := e.evaluatedFor(s, v, nil)
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

// addItem records that an item was evaluated.
func (ev *evaluated) addItem(i int) {
	if ev != nil {
		ev.seen[i] = true
	}
}

// others are the names of the members that were not evaluated.
func (ev *evaluated) others() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i, m := range ev.members {
			if !ev.seen[i] && !yield(m.name) {
				return
			}
		}
	}
}

// merge adds what a subschema has evaluated in the same value, and returns how much work that was.
func (ev *evaluated) merge(sub *evaluated) int {
	if sub == nil {
		return 0
	}
	for i, is := range sub.seen {
		ev.seen[i] = ev.seen[i] || is
	}
	return len(sub.seen) / bytesWork
}
