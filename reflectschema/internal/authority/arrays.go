package authority

import (
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// elements applies the keywords for the elements of an array.
func (e *evaluator) elements(s *jsonschema.Schema, v any, ev *evaluated) bool {
	arr, isArray := v.([]any)
	if !isArray {
		return true
	}
	ok := e.items(s, arr, ev)
	if s.Contains != nil && !e.ended(ok) {
		ok = e.contains(s, arr, ev) && ok
	}
	if s.UniqueItems && !e.ended(ok) {
		if first, second := duplicates(arr, e.spend); second > 0 {
			ok = e.fail(s, "uniqueItems", v, [2]int{first, second})
		}
	}
	return ok
}

// items applies prefixItems and items, and in draft-07 items and additionalItems.
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
			ok = e.part(sub, v, jsondoc.Step{Index: i}) && ok
		case closed:
			return e.record(Failure{Keyword: "additionalItems", Schema: s, Got: arr, Want: 0, Count: len(arr) - len(heads)})
		default:
			return ok
		}
		if e.ended(ok) {
			return false
		}
		ev.addElement(i)
	}
	return ok
}

// itemsOf returns the schemas of the first elements, and the schema of the others, nil if all values are allowed. If
// closed is true, no others are allowed. The keywords of the other dialect are nil in a compiled schema.
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
	least, n := 1, 0
	if s.MinContains != nil {
		least = *s.MinContains
	}
	for i, v := range arr {
		if !e.decide(func() bool { return e.part(s.Contains, v, jsondoc.Step{Index: i}) }) {
			continue
		}
		n++
		if s.DraftVersion >= 2020 {
			ev.addElement(i)
		}
		if ev == nil && n >= least && s.MaxContains == nil {
			return true
		}
	}
	if e.over {
		return false
	}
	ok := true
	switch {
	case s.MinContains != nil && n < least:
		ok = e.record(Failure{Keyword: "minContains", Schema: s, Got: arr, Want: least, Count: n})
	case n < least:
		ok = e.fail(s, "contains", arr, nil)
	}
	if s.MaxContains != nil && n > *s.MaxContains {
		ok = e.record(Failure{Keyword: "maxContains", Schema: s, Got: arr, Want: *s.MaxContains, Count: n})
	}
	return ok
}
