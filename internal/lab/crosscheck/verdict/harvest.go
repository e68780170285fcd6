package verdict

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// hints are values from a schema, at its boundaries.
type hints struct {
	numbers []string // bounds and adjacent values
	texts   []string // enums, constants, defaults and examples, as JSON
	names   []string // property names
	counts  []int    // lengths and numbers of elements, and adjacent values
}

// harvest collects the hints of a schema.
func harvest(schema *node) *hints {
	h := &hints{names: []string{"zzz", ""}, counts: []int{0, 1, 2}}
	h.walk(schema)
	return h
}

func (h *hints) walk(schema *node) {
	for i, name := range schema.names {
		value := schema.values[i]
		switch {
		case name == "properties" && value.kind == '{':
			h.names = append(h.names, value.names...)
		case value.isNumber() && isCount(name):
			n, _ := strconv.Atoi(value.text) // generated schemas have integers here
			if n < 64 {
				h.counts = append(h.counts, max(n-1, 0), n, n+1)
			}
		case value.isNumber():
			h.numbers = append(h.numbers, beside(value.text)...)
		case name == "enum", name == "const", name == "default", name == "examples":
			for _, v := range value.all() {
				if v.isNumber() {
					h.numbers = append(h.numbers, v.text)
				} else if v.isString() {
					h.texts = append(h.texts, v.text)
				}
			}
		}
	}
	for _, v := range schema.values {
		h.walk(v)
	}
}

func isCount(name string) bool {
	return strings.HasSuffix(name, "Length") || strings.HasSuffix(name, "Items") || strings.HasSuffix(name, "Properties")
}

// beside returns a number with its adjacent values.
func beside(text string) []string {
	r, ok := rational(text)
	if !ok {
		return nil
	}
	numbers := []string{text}
	for _, step := range []*big.Rat{big.NewRat(1, 1), big.NewRat(1, 2), big.NewRat(1, 1<<20)} {
		for _, near := range []*big.Rat{new(big.Rat).Add(r, step), new(big.Rat).Sub(r, step)} {
			s := near.FloatString(24)
			numbers = append(numbers, strings.TrimSuffix(strings.TrimRight(s, "0"), "."))
		}
	}
	return numbers
}

// isMisspelt reports whether a name differs only in case from a property.
func (h *hints) isMisspelt(name string) bool {
	return slices.ContainsFunc(h.names, func(n string) bool { return n != name && strings.EqualFold(n, name) })
}
