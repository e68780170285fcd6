package uritemplate

import "strings"

// span is the encoded value of a variable, if the URI has one.
type span struct {
	text string
	has  bool
}

// Match reports whether the template can produce the URI, and returns the values of the variables that the URI has, in
// the order of the template. The package documentation defines what matches. The time is linear in the length of the
// URI, which the caller must bound. A URI that does not match causes no allocation, unless it is not in normal form or
// has percent-encoded values.
func (t *Template) Match(uri string) (values []Value, ok bool) {
	if !strings.HasPrefix(uri, t.scheme) {
		return nil, false
	}
	normal, ok := Normalize(uri)
	var spans [MaxVariables]span
	if !ok || !t.locate(normal, &spans) {
		return nil, false
	}
	return t.appendValues(make([]Value, 0, len(t.variables)), &spans), true
}

// MatchNormal is Match for a URI in normal form (see [Normalize]). It appends the values to dst. The time to reject a
// URI whose path does not begin like the template does not depend on the length of the URI.
func (t *Template) MatchNormal(dst []Value, uri string) (values []Value, ok bool) {
	var spans [MaxVariables]span
	if !t.locate(uri, &spans) {
		return nil, false
	}
	return t.appendValues(dst, &spans), true
}

// appendValues appends the variables that locate has found.
func (t *Template) appendValues(dst []Value, spans *[MaxVariables]span) []Value {
	for i := range t.variables {
		if spans[i].has {
			dst = append(dst, Value{t.variables[i].Name, spans[i].text})
		}
	}
	return dst
}

// MatchesNormal reports whether the template matches a URI in normal form.
func (t *Template) MatchesNormal(uri string) bool {
	var spans [MaxVariables]span
	return t.locate(uri, &spans)
}

// locate sets the spans of the variables that a URI in normal form has to their decoded values. It reports whether the
// URI matches.
func (t *Template) locate(uri string, spans *[MaxVariables]span) bool {
	if !strings.HasPrefix(uri, t.scheme) || !strings.HasPrefix(uri, t.path.prefix()) {
		return false
	}
	rest, fragment, hasFragment := strings.Cut(uri, "#")
	path, query, hasQuery := strings.Cut(rest, "?")
	if !t.match(&t.path, path, true, spans) || !t.match(&t.query, query, hasQuery, spans) || !t.match(&t.fragment, fragment, hasFragment, spans) {
		return false
	}
	for i := range t.variables {
		v := &t.variables[i]
		if !spans[i].has {
			continue
		}
		text, ok := decode(spans[i].text, v.raw)
		if !ok || v.rule.check(text) != "" {
			return false
		}
		spans[i].text = text
	}
	return true
}

// match sets the encoded values of the variables of a component. s is the text of the component, if the URI has it.
func (t *Template) match(c *component, s string, has bool, spans *[MaxVariables]span) bool {
	if !has || !c.present {
		return has == c.present || c.optional
	}
	s, pairs, ok := c.cut(s)
	return ok && c.sequence(s, spans) && t.pairs(c, pairs, spans)
}

// cut separates the pairs from the rest of the text of a component; pairs is "" if there are none. Variables before the
// pairs encode "&", so the first "&" after those in the literals begins the pairs.
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

// pairs sets the encoded values of the variables of pairs: each at most once, in any order, and no others.
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

// sequence sets the encoded values of the variables between the literals, in one pass from the left up to {+var} and
// one from the right down to it; {+var} gets the rest. Each {var} is as short as possible. Backtracking would not find
// more matches: the characters by which a longer value would be longer are allowed in {var}, and so in the next
// variable.
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

// findEnd returns the end of the {var} that begins at low: the first occurrence of literal after at least one
// character. It returns -1 if there is none.
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

// findBegin returns the beginning of the {var} at the end of s: after the last occurrence of literal before at least
// one character. It returns -1 if there is none.
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

// isBoundary reports whether index i of a text in normal form is not inside a percent-encoded byte.
func isBoundary(s string, i int) bool {
	return (i < 1 || s[i-1] != '%') && (i < 2 || s[i-2] != '%')
}
