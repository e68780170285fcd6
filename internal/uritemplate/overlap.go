package uritemplate

import (
	"net/url"
	"slices"
	"strings"
)

// maxSamples bounds how many URIs of a template Overlaps tries.
const maxSamples = 1 << 8

// Overlaps reports whether a URI matches both templates, and returns it. It tries URIs of each template, with values made
// of the text of the other: if it reports false, there may still be one, such as a URI that needs a long combination of
// parts. The names of variables do not matter, except for those of {?a,b} and {&a,b}, which are keys of the query.
func (t *Template) Overlaps(other *Template) (example string, yes bool) {
	if one, two := t.path.prefix(), other.path.prefix(); !strings.HasPrefix(one, two) && !strings.HasPrefix(two, one) {
		return "", false
	}
	if example, yes = t.reaches(other); yes {
		return example, true
	}
	return other.reaches(t)
}

// reaches reports whether a sample of t matches other, and returns it.
func (t *Template) reaches(other *Template) (example string, yes bool) {
	values := other.texts(t)
	chosen := make([]int, len(t.variables)) // indexes in values; len(values) means absent
	for range maxSamples {
		uri, err := t.Expand(func(name string) (string, bool) {
			i := chosen[t.find(name)]
			return append(values, "")[i], i < len(values)
		})
		if err == nil {
			if _, ok := other.Match(uri); ok {
				return uri, true
			}
		}
		i := 0
		for ; i < len(chosen); i++ { // the next combination
			if chosen[i]++; chosen[i] <= len(values) {
				break
			}
			chosen[i] = 0
		}
		if i == len(chosen) {
			break
		}
	}
	return "", false
}

// texts returns values that may make a URI of the template other match t: an arbitrary one, and the literals of t after
// what both begin with, and their parts, alone and with others around them.
func (t *Template) texts(other *Template) []string {
	list := []string{"x"}
	add := func(text string) {
		if decoded, err := url.PathUnescape(text); err == nil && decoded != "" && !slices.Contains(list, decoded) {
			list = append(list, decoded)
		}
	}
	for _, c := range t.components() {
		for _, literal := range c.literals {
			literal = strings.TrimPrefix(literal, other.path.prefix())
			for _, part := range strings.FieldsFunc(literal, func(r rune) bool { return strings.ContainsRune("/&=?", r) }) {
				add(part)
			}
			for _, text := range []string{literal, literal + "x", "x" + literal, "x" + literal + "x"} {
				add(text)
			}
		}
	}
	return list
}
