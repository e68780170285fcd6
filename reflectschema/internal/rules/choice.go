package rules

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// Choices are the values of enum or const. Arrays and objects are not supported:
// they are never known to be valid.
type Choices struct {
	null, yes, no bool
	others        bool // there are also arrays, objects, or numbers that are not short
	Texts         []string
	Integers      []int64
	fractions     []float64 // all short numbers, including integers

	// Indexes of the slices, because values may be looked up for every item of a list. Each is nil for few values.
	texts    map[string]string
	integers map[int64]int64
	floats   map[float64]float64
}

// indexOf returns a map from each value to itself. It returns nil for few values, which are searched faster linearly.
func indexOf[T comparable](values []T) map[T]T {
	if len(values) <= authority.FewChoices {
		return nil
	}
	index := make(map[T]T, len(values))
	for _, v := range values {
		index[v] = v
	}
	return index
}

// addChoices adds enum or const. It reports false if the schema has both.
func (r *Rules) addChoices(keyword string, v *jsondoc.Value) bool {
	if r.Choice != nil {
		return false
	}
	items := []*jsondoc.Value{v}
	if keyword == "enum" {
		if v.Kind != jsontext.KindBeginArray {
			return false
		}
		items = v.Items
	}
	c := &Choices{}
	for _, item := range items {
		c.add(item)
	}
	c.texts, c.integers, c.floats = indexOf(c.Texts), indexOf(c.Integers), indexOf(c.fractions)
	r.Choice = c
	return true
}

func (c *Choices) add(v *jsondoc.Value) {
	switch v.Kind {
	case jsontext.KindNull:
		c.null = true
	case jsontext.KindTrue:
		c.yes = true
	case jsontext.KindFalse:
		c.no = true
	case jsontext.KindString:
		c.Texts = append(c.Texts, v.Text())
	case jsontext.KindNumber:
		in := Reader{Data: v.Raw}
		if i, ok := in.Integer(); ok {
			c.Integers = append(c.Integers, i)
		}
		if f, ok := floatOf(v.Raw); ok && short(v.Raw) {
			c.fractions = append(c.fractions, f)
			break
		}
		c.others = true
	default:
		c.others = true
	}
}

// text returns the choice that is equal to b, and whether there is one. It does not allocate.
func (c *Choices) text(b []byte) (string, bool) {
	if c.texts != nil {
		s, ok := c.texts[string(b)] // the conversion does not allocate
		return s, ok
	}
	for _, s := range c.Texts {
		if string(b) == s {
			return s, true
		}
	}
	return "", false
}

// only returns the only choice if it is a string.
func (c *Choices) only() (string, bool) {
	if len(c.Texts) != 1 || c.null || c.yes || c.no || c.others || len(c.Integers)+len(c.fractions) > 0 {
		return "", false
	}
	return c.Texts[0], true
}

// hasText reports whether a string is one of the choices.
func (c *Choices) hasText(b []byte) bool {
	_, ok := c.text(b)
	return ok
}

// boolean reports whether a bool is one of the choices.
func (c *Choices) boolean(b bool) bool { return b && c.yes || !b && c.no }

// integer reports whether an integer is known to be one of the choices.
func (c *Choices) integer(i int64) bool { return isAmong(i, c.Integers, c.integers) }

// fraction reports whether a number, which is f as a float64, is known to be one
// of the choices. Short numbers with the same float64 are equal.
func (c *Choices) fraction(f float64, isShort bool) bool {
	return isShort && isAmong(f, c.fractions, c.floats)
}

// isAmong reports whether v is one of values. It uses index unless that is nil.
func isAmong[T comparable](v T, values []T, index map[T]T) bool {
	if index == nil {
		return slices.Contains(values, v)
	}
	_, ok := index[v]
	return ok
}
