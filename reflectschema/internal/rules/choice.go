package rules

import (
	"slices"
	"sort"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Choices are the values of enum or const. Arrays and objects are not supported:
// they are never known to be valid.
type Choices struct {
	null, yes, no bool
	others        bool // there are also arrays, objects, or numbers that are not short

	// The slices are sorted, because values may be looked up for every item of a list.
	Texts     []string
	Integers  []int64
	fractions []float64 // all short numbers, including integers
}

// addChoices adds enum or const. It reports false if the schema has both.
func (r *Rules) addChoices(keyword string, v *jsondoc.Value) bool {
	if r.Choice != nil {
		return false
	}
	items := []*jsondoc.Value{v}
	if keyword == "enum" {
		if v.Kind != rawjson.Array {
			return false
		}
		items = v.Items
	}
	c := &Choices{}
	for _, item := range items {
		c.add(item)
	}
	slices.Sort(c.Texts)
	slices.Sort(c.Integers)
	slices.Sort(c.fractions)
	r.Choice = c
	return true
}

func (c *Choices) add(v *jsondoc.Value) {
	switch v.Kind {
	case rawjson.Null:
		c.null = true
	case rawjson.Bool:
		c.yes, c.no = c.yes || v.IsTrue(), c.no || v.IsFalse()
	case rawjson.String:
		c.Texts = append(c.Texts, v.Text())
	case rawjson.Number:
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
	i := sort.Search(len(c.Texts), func(i int) bool { return c.Texts[i] >= string(b) })
	if i == len(c.Texts) || c.Texts[i] != string(b) {
		return "", false
	}
	return c.Texts[i], true
}

// only returns the only choice if it is a string.
func (c *Choices) only() (string, bool) {
	if len(c.Texts) != 1 || c.null || c.yes || c.no || c.others || len(c.Integers)+len(c.fractions) > 0 {
		return "", false
	}
	return c.Texts[0], true
}

// boolean reports whether a bool is one of the choices.
func (c *Choices) boolean(b bool) bool { return b && c.yes || !b && c.no }

// integer reports whether an integer is known to be one of the choices.
func (c *Choices) integer(i int64) bool {
	_, ok := slices.BinarySearch(c.Integers, i)
	return ok
}

// fraction reports whether a number, which is f as a float64, is known to be one
// of the choices. Short numbers with the same float64 are equal.
func (c *Choices) fraction(f float64, isShort bool) bool {
	_, ok := slices.BinarySearch(c.fractions, f)
	return ok && isShort
}
