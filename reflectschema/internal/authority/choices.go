package authority

import (
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// FewChoices is the number of values up to which a linear search is faster than a map.
const FewChoices = 8

// choices is an index of the values of an enum: those that may be equal to a value have the same [choiceKey].
type choices map[string][]any

// choiceKey returns a text that is the same for equal values. Only arrays and objects that differ may also have the same
// one: a string is valid UTF-8, unlike the keys of other values.
func choiceKey(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		return "\xff{" + strconv.Itoa(len(v))
	case []any:
		return "\xff[" + strconv.Itoa(len(v))
	default:
		return "\xff" + string(appendCanonical(nil, v))
	}
}

// indexEnums makes the choices of each enum with more than few values.
func (a *Authority) indexEnums(few int) {
	a.choices = map[*jsonschema.Enum]choices{}
	for _, s := range a.At {
		if s.Enum == nil || len(s.Enum.Values) <= few || a.choices[s.Enum] != nil {
			continue
		}
		index := choices{}
		for _, v := range s.Enum.Values {
			key := choiceKey(v)
			index[key] = append(index[key], v)
		}
		a.choices[s.Enum] = index
	}
}

// isAmong reports whether v is one of the values of an enum.
func (e *evaluator) isAmong(enum *jsonschema.Enum, v any) bool {
	values := enum.Values
	if index := e.auth.choices[enum]; index != nil {
		key := choiceKey(v)
		e.spend(1 + len(key)/countWork)
		values = index[key]
	}
	return slices.ContainsFunc(values, func(item any) bool { return e.equal(v, item) })
}
