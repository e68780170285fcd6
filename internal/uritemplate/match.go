package uritemplate

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Match reports whether the template can produce the URI, and returns the values of the variables that the URI has, in
// the order of the template. The package documentation defines what matches.
func (t *Template) Match(uri string) (values []Value, ok bool) {
	normal, ok := Normalize(uri)
	if !ok || !strings.HasPrefix(normal, t.literals[0]) {
		return nil, false
	}
	if t.IsLiteral() {
		return nil, normal == t.literals[0]
	}
	found := t.pattern.FindStringSubmatch(normal)
	if found == nil {
		return nil, false
	}
	before, pairs := t.split()
	values = make([]Value, 0, len(t.variables))
	for i, v := range before {
		if values, ok = appendDecoded(values, v, found[i+1]); !ok {
			return nil, false
		}
	}
	if text := found[len(found)-1]; len(pairs) > 0 && text != "" {
		if values, ok = appendPairs(values, pairs, text); !ok {
			return nil, false
		}
	}
	return values, true
}

// appendPairs appends the values in the pairs of a query: each variable at most once, in any order, and no others.
func appendPairs(values []Value, variables []Variable, text string) (_ []Value, ok bool) {
	encoded := map[string]string{}
	for pair := range strings.SplitSeq(text, "&") {
		key, value, ok := strings.Cut(pair, "=")
		if _, twice := encoded[key]; !ok || twice {
			return nil, false
		}
		encoded[key] = value
	}
	for _, v := range variables {
		value, has := encoded[v.Name]
		if !has {
			continue
		}
		delete(encoded, v.Name)
		if values, ok = appendDecoded(values, v, value); !ok {
			return nil, false
		}
	}
	return values, len(encoded) == 0
}

// appendDecoded appends a value, and reports whether it is allowed and encode returns its encoded form.
func appendDecoded(values []Value, v Variable, encoded string) (_ []Value, ok bool) {
	text, err := url.PathUnescape(encoded)
	if err != nil || encode(text, v.raw()) != encoded || v.check(text) != "" {
		return nil, false
	}
	return append(values, Value{v.Name, text}), true
}

// Expand returns the URI for the values of variables, by name and not encoded, in normal form. An absent variable of
// {?a,b} or {&a,b} is omitted; an empty value in a query is written "a=". Any other absent variable is an error, as is a
// value that [Template.Match] would not accept or would read differently. The error lists all absent and invalid values.
func (t *Template) Expand(variables map[string]string) (string, error) {
	var b strings.Builder
	b.WriteString(t.literals[0])
	var given []Value
	var errs []error
	separator := t.pairs
	for i, v := range t.variables {
		text, has := variables[v.Name]
		switch wrong := v.check(text); {
		case !has && !v.Optional():
			errs = append(errs, fmt.Errorf("the variable %s has no value", v.Name))
		case !has:
		case wrong != "":
			errs = append(errs, fmt.Errorf("the value of %s %s", v.Name, wrong))
		case v.Kind == Query:
			given = append(given, Value{v.Name, text})
			b.WriteString(separator + v.Name + "=" + encode(text, ""))
			separator = "&"
		default:
			given = append(given, Value{v.Name, text})
			b.WriteString(encode(text, v.raw()) + t.literals[i+1])
		}
	}
	if len(errs) > 0 {
		return "", errors.Join(errs...)
	}
	uri := b.String()
	if err := t.checkExpanded(uri, given); err != nil {
		return "", err
	}
	return uri, nil
}

// checkExpanded returns an error if a URI does not match or is not read as these values, which it was made of.
func (t *Template) checkExpanded(uri string, given []Value) error {
	read, ok := t.Match(uri)
	if !ok {
		return fmt.Errorf("the values make the URI %q, which cannot be read back: a value contains the text next to it in the template", uri)
	}
	for i, v := range read {
		if v != given[i] {
			return fmt.Errorf("the value %q of %s would be read as %q: it contains the text that ends it in the template", given[i].Text, v.Name, v.Text)
		}
	}
	return nil
}
