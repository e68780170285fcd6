package uritemplate

import (
	"errors"
	"fmt"
	"slices"
)

// Expand returns the URI for the values, in normal form. It calls value once for each variable; value returns the
// value, not encoded, and whether there is one. It may be nil for a template without variables. An absent variable of
// {?a,b}, {&a,b} or {#var} is omitted; an empty value in a query is written "a=". Any other absent variable is an
// error, as is a value that [Template.Match] would not accept or would read differently. The error lists all absent and
// invalid values.
func (t *Template) Expand(value func(name string) (string, bool)) (string, error) {
	texts, has, err := t.collect(value)
	if err != nil {
		return "", err
	}
	var b []byte
	for i, c := range t.components() {
		b = t.expand(b, c, texts, has, [...]string{"", "?", "#"}[i])
	}
	uri := string(b)
	read, ok := t.Match(uri)
	if !ok {
		return "", fmt.Errorf("the values make the URI %q, which cannot be read back: a value contains the text next to it in the template", uri)
	}
	for _, v := range read {
		if text := texts[t.find(v.Name)]; text != v.Text {
			return "", fmt.Errorf("the value %q of %s would be read as %q: it contains the text that ends it in the template", text, v.Name, v.Text)
		}
	}
	return uri, nil
}

// collect calls value for each variable and checks the result.
func (t *Template) collect(value func(name string) (string, bool)) (texts []string, has []bool, err error) {
	texts, has = make([]string, len(t.variables)), make([]bool, len(t.variables))
	var errs []error
	for i, v := range t.variables {
		texts[i], has[i] = value(v.Name)
		if !has[i] {
			if !v.Optional() {
				errs = append(errs, fmt.Errorf("the variable %s has no value", v.Name))
			}
			continue
		}
		if wrong := v.rule.check(texts[i]); wrong != "" {
			errs = append(errs, fmt.Errorf("the value of %s %s", v.Name, wrong))
		}
	}
	return texts, has, errors.Join(errs...)
}

// expand appends the component c, preceded by begin, unless the URI does not have it.
func (t *Template) expand(b []byte, c *component, texts []string, has []bool, begin string) []byte {
	given := func(i int) bool { return has[i] }
	if !c.present || c.optional && !slices.ContainsFunc(c.variables, given) && !slices.ContainsFunc(c.pairs, given) {
		return b
	}
	b = append(b, begin...)
	for i, literal := range c.literals {
		b = append(b, literal...)
		if i < len(c.variables) {
			v := c.variables[i]
			b = encode(b, texts[v], t.variables[v].raw)
		}
	}
	first := c.alone
	for _, i := range c.pairs {
		if !has[i] {
			continue
		}
		if !first {
			b = append(b, '&')
		}
		first = false
		b = append(append(b, t.variables[i].Name...), '=')
		b = encode(b, texts[i], t.variables[i].raw)
	}
	return b
}
