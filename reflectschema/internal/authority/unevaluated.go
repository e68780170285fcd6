package authority

import (
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// evaluated records which parts of an object or array the keywords of a schema evaluate: unevaluatedProperties and
// unevaluatedItems apply to the others (JSON Schema Core, section 11). A nil *evaluated records nothing.
type evaluated struct {
	members []member // of an object, shared by the schemas that apply to it
	seen    []bool   // of each member or element
}

// evaluatedFor returns a new record for s and v, nil if it is not needed.
func (e *evaluator) evaluatedFor(s *jsonschema.Schema, v any, outer *evaluated) *evaluated {
	var members []member
	var parts int
	switch v := v.(type) {
	case map[string]any:
		switch {
		case outer != nil:
			members = outer.members
		case s.UnevaluatedProperties == nil:
			return nil
		default:
			members = membersOf(v, &e.budget)
		}
		parts = len(members)
	case []any:
		if outer == nil && s.UnevaluatedItems == nil {
			return nil
		}
		parts = len(v)
	default:
		return nil
	}
	e.spend(parts / bytesWork)
	return &evaluated{members, make([]bool, parts)}
}

// addElement marks element i as evaluated.
func (ev *evaluated) addElement(i int) {
	if ev != nil {
		ev.seen[i] = true
	}
}

// merge adds the parts of the same value that another schema has evaluated. It returns the units of work.
func (ev *evaluated) merge(sub *evaluated) int {
	if sub == nil {
		return 0
	}
	for i, is := range sub.seen {
		ev.seen[i] = ev.seen[i] || is
	}
	return len(sub.seen) / bytesWork
}

// unevaluated applies unevaluatedProperties and unevaluatedItems.
func (e *evaluator) unevaluated(s *jsonschema.Schema, v any, ev *evaluated) bool {
	switch v := v.(type) {
	case map[string]any:
		return s.UnevaluatedProperties == nil || e.rest(s.UnevaluatedProperties, ev, func(i int) (any, jsondoc.Step) {
			return ev.members[i].value, memberStep(ev.members[i].name)
		})
	case []any:
		return s.UnevaluatedItems == nil || e.rest(s.UnevaluatedItems, ev, func(i int) (any, jsondoc.Step) {
			return v[i], jsondoc.Step{Index: i}
		})
	default:
		return true
	}
}

// rest applies s to the parts that are not evaluated, and marks them.
func (e *evaluator) rest(s *jsonschema.Schema, ev *evaluated, part func(i int) (any, jsondoc.Step)) bool {
	ok := true
	for i, seen := range ev.seen {
		if seen {
			continue
		}
		ev.seen[i] = true
		v, step := part(i)
		if ok = e.part(s, v, step) && ok; e.ended(ok) {
			return false
		}
	}
	return ok
}
