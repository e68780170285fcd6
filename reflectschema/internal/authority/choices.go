package authority

import (
	"encoding/json"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// FewChoices is the number of values up to which a linear search is faster than a map.
const FewChoices = 8

// choices is an index of the values of an enum. A value is compared only with those that may be equal to it.
type choices struct {
	texts   map[string]struct{}
	numbers map[string]struct{} // by value, see [AppendDecimal]
	others  map[shape][]any
}

// A shape is the index key of a value that is neither a string nor a number. Equal values have the same shape.
type shape struct {
	name string // of the type
	size int    // number of members or items
}

func shapeOf(v any) shape {
	at := shape{name: typeName(v)}
	switch v := v.(type) {
	case map[string]any:
		at.size = len(v)
	case []any:
		at.size = len(v)
	}
	return at
}

// indexEnums makes the choices of each enum with more than few values.
func (a *Authority) indexEnums(few int) {
	a.choices = map[*jsonschema.Enum]*choices{}
	for _, s := range a.At {
		if s.Enum != nil && len(s.Enum.Values) > few && a.choices[s.Enum] == nil {
			a.choices[s.Enum] = choicesOf(s.Enum.Values)
		}
	}
}

func choicesOf(values []any) *choices {
	c := &choices{texts: map[string]struct{}{}, numbers: map[string]struct{}{}, others: map[shape][]any{}}
	for _, v := range values {
		switch v := v.(type) {
		case string:
			c.texts[v] = struct{}{}
		case json.Number:
			c.numbers[string(AppendDecimal(nil, string(v)))] = struct{}{}
		default:
			at := shapeOf(v)
			c.others[at] = append(c.others[at], v)
		}
	}
	return c
}

// isAmong reports whether v is one of the values of an enum.
func (e *evaluator) isAmong(enum *jsonschema.Enum, v any) bool {
	c := e.auth.choices[enum]
	if c == nil {
		return e.isIn(enum.Values, v)
	}
	switch v := v.(type) {
	case string:
		e.spend(1 + len(v)/countWork)
		_, ok := c.texts[v]
		return ok && !e.over
	case json.Number:
		e.spend(1 + len(v)/bytesWork)
		var decimal [2 * MaxNumber]byte
		_, ok := c.numbers[string(AppendDecimal(decimal[:0], string(v)))]
		return ok && !e.over
	default:
		return e.isIn(c.others[shapeOf(v)], v)
	}
}

// isIn reports whether v is equal to one of values.
func (e *evaluator) isIn(values []any, v any) bool {
	for _, item := range values {
		if e.equal(v, item) {
			return true
		}
	}
	return false
}
