package uritemplate

import (
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
)

// maxSamples bounds how many URIs of a template Overlaps tries.
const maxSamples = 1 << 9

// Overlaps reports whether a URI matches both templates, and returns it. It tries URIs of each template, with values made
// of the text of the other: if it reports false, there may still be one, such as a URI that needs a long combination of
// parts. The names of variables do not matter, except in {?a,b} and {&a,b}, where they are keys of the query.
func (t *Template) Overlaps(other *Template) (example string, yes bool) {
	if one, two := t.literals[0], other.literals[0]; !strings.HasPrefix(one, two) && !strings.HasPrefix(two, one) {
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
	all := 1 // combinations of values, or none, for each variable
	for range t.variables {
		all = min(all*(len(values)+1), maxSamples+1)
	}
	random := rand.New(rand.NewPCG(0, 0))   //nolint:gosec // the same samples each time
	chosen := make([]int, len(t.variables)) // indexes in values; len(values) means absent
	for n := range min(all, maxSamples) {
		for i := range chosen {
			if all > maxSamples {
				chosen[i] = random.IntN(len(values) + 1)
			} else {
				chosen[i], n = n%(len(values)+1), n/(len(values)+1)
			}
		}
		given := map[string]string{}
		for i, v := range t.variables {
			if chosen[i] < len(values) {
				given[v.Name] = values[chosen[i]]
			}
		}
		uri, err := t.Expand(given)
		if err != nil {
			continue
		}
		if _, ok := other.Match(uri); ok {
			return uri, true
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
	for _, literal := range t.literals {
		literal = strings.TrimPrefix(literal, other.literals[0])
		for _, part := range strings.FieldsFunc(literal, func(r rune) bool { return strings.ContainsRune("/&=?", r) }) {
			add(part)
		}
		for _, text := range []string{literal, literal + "x", "x" + literal, "x" + literal + "x"} {
			add(text)
		}
	}
	return list
}
