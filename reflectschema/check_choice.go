package reflectschema

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// choices are the values of enum or const. Those that are arrays and objects are
// not among them: the plan never says of such a value that it is one.
type choices struct {
	null, yes, no bool
	others        bool // there are arrays or objects among them, or numbers out of reach
	texts         []string
	integers      []int64
	fractions     []float64
}

// addChoices adds enum or const, of which a schema may have one.
func (r *rules) addChoices(keyword string, v *jsondoc.Value) bool {
	if r.choice != nil {
		return false
	}
	items := []*jsondoc.Value{v}
	if keyword == "enum" {
		if v.Kind != jsontext.KindBeginArray {
			return false
		}
		items = v.Items
	}
	c := &choices{}
	for _, item := range items {
		c.add(item)
	}
	r.choice = c
	return true
}

func (c *choices) add(v *jsondoc.Value) {
	switch v.Kind {
	case jsontext.KindNull:
		c.null = true
	case jsontext.KindTrue:
		c.yes = true
	case jsontext.KindFalse:
		c.no = true
	case jsontext.KindString:
		c.texts = append(c.texts, v.Text())
	case jsontext.KindNumber:
		in := reader{data: v.Raw}
		if i, ok := in.integer(); ok {
			c.integers = append(c.integers, i)
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

// text returns the choice that a string is.
func (c *choices) text(b []byte) (string, bool) {
	for _, s := range c.texts {
		if string(b) == s {
			return s, true
		}
	}
	return "", false
}

// only returns the text that is the one choice there is.
func (c *choices) only() (string, bool) {
	if len(c.texts) != 1 || c.null || c.yes || c.no || c.others || len(c.integers)+len(c.fractions) > 0 {
		return "", false
	}
	return c.texts[0], true
}

// hasText reports whether a string is one of the choices.
func (c *choices) hasText(b []byte) bool {
	_, ok := c.text(b)
	return ok
}

// boolean reports whether a bool is one of the choices.
func (c *choices) boolean(b bool) bool { return b && c.yes || !b && c.no }

// integer reports whether an integer is known to be one of the choices.
func (c *choices) integer(i int64) bool { return slices.Contains(c.integers, i) }

// fraction reports whether a number, of which f is the float64, is known to be
// one of the choices: short numbers with one float64 are one number.
func (c *choices) fraction(f float64, isShort bool) bool {
	return isShort && slices.Contains(c.fractions, f)
}
