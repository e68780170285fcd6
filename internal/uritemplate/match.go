package uritemplate

import "strings"

// span is where the value of a variable stands in a component of a URI.
type span struct {
	text string
	has  bool
}

// Match reports whether a URI, of a client that may be hostile, is one that the template makes, and returns the values of the
// variables that it has, in the order of the template. The package documentation says what is accepted. The time is linear in the
// length of the URI. Nothing is allocated for a URI that is refused, unless it has to be normalized or a value is refused.
func (t *Template) Match(uri string) (values []Value, ok bool) {
	if !strings.HasPrefix(uri, t.scheme) {
		return nil, false
	}
	uri, ok = Normalize(uri)
	if !ok {
		return nil, false
	}
	var spans [MaxVariables]span
	rest, fragment, hasFragment := strings.Cut(uri, "#")
	path, query, hasQuery := strings.Cut(rest, "?")
	if !t.match(&t.path, path, true, &spans) || !t.match(&t.query, query, hasQuery, &spans) || !t.match(&t.fragment, fragment, hasFragment, &spans) {
		return nil, false
	}
	values = make([]Value, 0, len(t.variables))
	for i, v := range t.variables {
		if !spans[i].has {
			continue
		}
		text, ok := decode(spans[i].text, v.raw)
		if !ok || v.rule.check(text) != "" {
			return nil, false
		}
		values = append(values, Value{v.Name, text})
	}
	return values, true
}

// match finds the variables of a component in its text, which the URI may lack.
func (t *Template) match(c *component, s string, has bool, spans *[MaxVariables]span) bool {
	if !has || !c.present {
		return has == c.present || c.optional
	}
	s, pairs, ok := c.cut(s)
	return ok && c.sequence(s, spans) && t.pairs(c, pairs, spans)
}

// cut cuts the text of a component before its pairs, which it may lack, then they are "". Variables before them encode "&", so
// that the literals tell how many come first.
func (c *component) cut(s string) (rest, pairs string, ok bool) {
	if len(c.pairs) == 0 {
		return s, "", true
	}
	if c.alone {
		return "", s, s != ""
	}
	skip := 0
	for _, literal := range c.literals {
		skip += strings.Count(literal, "&")
	}
	for i := range len(s) {
		if s[i] != '&' {
			continue
		}
		if skip == 0 {
			return s[:i], s[i+1:], i+1 < len(s)
		}
		skip--
	}
	return s, "", true
}

// pairs finds the variables of pairs: each at most once, in any order, and no others.
func (t *Template) pairs(c *component, s string, spans *[MaxVariables]span) bool {
	for more := s != ""; more; {
		var pair string
		pair, s, more = strings.Cut(s, "&")
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return false
		}
		i := -1
		for _, j := range c.pairs {
			if t.variables[j].Name == key {
				i = j
			}
		}
		if i < 0 || spans[i].has {
			return false
		}
		spans[i] = span{value, true}
	}
	return true
}

// sequence finds the variables between the literals. A literal between two variables may be a part of a value as well: a
// {var} before {+var}, or in a component without one, ends at the first place where the literal after it follows; one after {+var}
// begins at the last place where the literal before it ends; {+var} has what is left. All other characters of values before
// that place are the same as of the variable that would have them otherwise, or fewer, so that there is nothing to go back to.
func (c *component) sequence(s string, spans *[MaxVariables]span) bool {
	n := len(c.variables)
	if n == 0 {
		return len(c.literals) == 0 || s == c.literals[0]
	}
	before, after := c.literals[0], c.literals[n]
	low, high := len(before), len(s)-len(after)
	if low > high || s[:low] != before || s[high:] != after || !isBoundary(s, high) {
		return false
	}
	middle := min(c.reserved, n-1)
	for i := range middle {
		end := findEnd(s[:high], low, c.literals[i+1])
		if end < 0 {
			return false
		}
		spans[c.variables[i]] = span{s[low:end], true}
		low = end + len(c.literals[i+1])
	}
	for i := n - 1; i > middle; i-- {
		begin := findBegin(s[low:high], c.literals[i])
		if begin < 0 {
			return false
		}
		spans[c.variables[i]] = span{s[low+begin : high], true}
		high = low + begin - len(c.literals[i])
	}
	spans[c.variables[middle]] = span{s[low:high], true}
	return true
}

// findEnd returns where a {var} ends that begins at low: before the first literal after at least one character; -1 if nowhere.
func findEnd(s string, low int, literal string) int {
	for i := low; i < len(s); {
		switch {
		case s[i] == '%':
			i += 3
		case unreserved.has(s[i]):
			i++
		default:
			return -1
		}
		if strings.HasPrefix(s[i:], literal) {
			return i
		}
	}
	return -1
}

// findBegin returns where a {var} begins that ends with s: after the last literal before at least one character; -1 if nowhere.
func findBegin(s, literal string) int {
	for i := len(s); i > 0; {
		switch {
		case i >= 3 && s[i-3] == '%':
			i -= 3
		case unreserved.has(s[i-1]):
			i--
		default:
			return -1
		}
		if strings.HasSuffix(s[:i], literal) && isBoundary(s, i-len(literal)) {
			return i
		}
	}
	return -1
}

// isBoundary reports whether a text in normal form can be cut before i: not inside a percent-encoded byte.
func isBoundary(s string, i int) bool {
	return (i < 1 || s[i-1] != '%') && (i < 2 || s[i-2] != '%')
}
