package uritemplate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// supported is the end of the messages for expressions of RFC 6570 that this package does not support.
const supported = "supported are {var}, {+var}, {#var}, {?a,b} and {&a,b}"

// Parse parses a template. The error lists all mistakes, one per line, each with the position of its character, counted
// from 1, and usually with a correction.
func Parse(text string) (*Template, error) {
	p := parser{text: text, t: &Template{text: text}}
	p.at = &p.t.path
	p.open(p.at)
	p.scheme()
	for p.pos < len(text) {
		switch end := strings.IndexAny(text[p.pos:], "{}"); {
		case end < 0:
			p.literal(text[p.pos:])
		case end > 0:
			p.literal(text[p.pos : p.pos+end])
		case text[p.pos] == '}':
			p.mistake(p.pos, `"}" without "{": write %%7D if the URI has this character`)
			p.pos++
		default:
			p.expression()
		}
	}
	p.dotSegments()
	if n := len(p.t.variables); n > MaxVariables {
		p.mistake(0, "%d variables are more than %d", n, MaxVariables)
	}
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	return p.t, nil
}

// parser is the state of one Parse.
type parser struct {
	text string
	pos  int // the text before it is parsed
	errs []error

	t    *Template
	at   *component // the component to which the next literal or variable belongs
	last string     // the expression directly before pos, "" if there is none
	tail string     // an expression after which only a fragment or the end is allowed, "" if there is none
}

// mistake adds a mistake; pos is its byte offset in the text.
func (p *parser) mistake(pos int, format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("character %d: %w", utf8.RuneCountInString(p.text[:pos])+1, fmt.Errorf(format, args...)))
}

// open begins the component c.
func (p *parser) open(c *component) {
	*c = component{present: true, literals: []string{""}}
	p.at = c
}

// scheme reads the scheme: a letter; letters, digits, "+", "-" and "."; and a colon (RFC 3986, 3.1).
func (p *parser) scheme() {
	end := strings.IndexAny(p.text, ":/?#{")
	if end < 0 || p.text[end] != ':' {
		p.mistake(0, `there is no scheme: begin with one that has no variables, such as "orders://"`)
		return
	}
	scheme := p.text[:end]
	ok := scheme != "" && 'a' <= scheme[0] && scheme[0] <= 'z'
	for i := range len(scheme) {
		c := scheme[i]
		ok = ok && (alphanumeric.has(c) && (c < 'A' || c > 'Z') || strings.IndexByte("+-.", c) >= 0)
	}
	if !ok {
		p.mistake(0, `the scheme %q is not a letter followed by letters, digits, "+", "-" and ".", all in lower case, as clients write it`, scheme)
		return
	}
	p.t.scheme = p.text[:end+1]
	if strings.HasPrefix(p.text, "file://{") {
		p.mistake(len("file://"), `a file URI has an empty host: write file:///{+path}, whose value does not begin with "/"`)
	}
}

// literal reads text between expressions.
func (p *parser) literal(s string) {
	begin := p.pos
	p.pos += len(s)
	p.last = ""
	if p.tail != "" && s[0] != '#' {
		p.mistake(begin, "%q is after %s, which must be at the end", s, p.tail)
		return
	}
	p.tail = ""
	if normal, ok := Normalize(s); p.legal(begin, s) && ok {
		s = normal
	} else {
		s = strings.Map(onlySyntax, s) // enough to find further mistakes, such as a second "#"
	}
	if head, tail, ok := strings.Cut(s, "?"); ok && p.at == &p.t.path && !strings.Contains(head, "#") {
		p.add(head)
		p.open(&p.t.query)
		s = tail
	}
	if head, tail, ok := strings.Cut(s, "#"); ok {
		if p.at == &p.t.fragment || strings.Contains(tail, "#") {
			p.mistake(begin, `a second "#": write %%23`)
		}
		p.add(head)
		p.open(&p.t.fragment)
		s = tail
	}
	p.add(s)
}

// onlySyntax keeps only the separators of components and segments.
func onlySyntax(c rune) rune {
	if strings.ContainsRune("/?#", c) {
		return c
	}
	return -1
}

// add appends to the last literal of the component.
func (p *parser) add(s string) {
	if s != "" { // after {?a,b} the component has no literals, and s is empty
		p.at.literals[len(p.at.literals)-1] += s
	}
}

// legal reports whether a literal may be a part of a URI, and adds a mistake for each character that may not.
func (p *parser) legal(begin int, s string) bool {
	before := len(p.errs)
	for i := 0; i < len(s); {
		c, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case isTriplet(s[i:]):
			size = 3
		case c == '%':
			p.mistake(begin+i, `a "%%" that two hexadecimal digits do not follow: write %%25`)
		case c >= utf8.RuneSelf || !inURI.has(s[i]):
			p.mistake(begin+i, "%q is not allowed in a URI: write %s", s[i:i+size], encode(nil, s[i:i+size], 0))
		}
		i += size
	}
	if len(p.errs) > before {
		return false
	}
	if text := plain(s); !utf8.ValidString(text) || strings.ContainsFunc(text, isControl) {
		p.mistake(begin, "%q has percent-encoded control characters, or bytes that are not UTF-8", s)
		return false
	}
	return true
}

// expression reads the expression at pos.
func (p *parser) expression() {
	begin := p.pos
	length := strings.IndexAny(p.text[begin+1:], "{}")
	if length < 0 || p.text[begin+1+length] != '}' {
		p.mistake(begin, `"{" without "}": write %%7B if the URI has this character`)
		p.pos = len(p.text)
		if length >= 0 {
			p.pos = begin + 1 + length
		}
		return
	}
	whole := p.text[begin : begin+length+2]
	p.pos += len(whole)
	inner := whole[1 : len(whole)-1]
	operator := ""
	if inner != "" && !inName.has(inner[0]) && inner[0] < utf8.RuneSelf {
		operator, inner = inner[:1], inner[1:]
	}
	before := len(p.errs)
	names := p.names(begin, operator, inner)
	p.place(begin, operator, whole)
	p.last = whole
	if len(p.errs) > before {
		return
	}
	p.variables(operator, names)
	if operator == "?" || operator == "&" || operator == "#" {
		p.tail = whole
	}
}

// instead returns what to write instead of an operator of level 3.
func instead(operator, name string) string {
	if operator == ";" {
		return ";" + name + "={" + name + "}"
	}
	return operator + "{" + name + "}"
}

// names returns the names in an expression. It checks what does not depend on the position of the expression.
func (p *parser) names(begin int, operator, inner string) []string {
	names := strings.Split(inner, ",")
	switch operator {
	case "", "+", "#":
		if len(names) > 1 {
			p.mistake(begin, "{%s%s} has %d variables: write one expression for each, with text between them; %s", operator, inner, len(names), supported)
		}
	case "?", "&":
	case ".", "/", ";":
		p.mistake(begin, "{%s%s} is of level 3 of RFC 6570: write %q; %s", operator, inner, instead(operator, names[0]), supported)
	default:
		p.mistake(begin, "{%s%s} begins with %q, which is no operator: %s", operator, inner, operator, supported)
		return nil
	}
	for i, name := range names {
		switch short, _, cut := strings.Cut(strings.TrimSuffix(name, "*"), ":"); {
		case strings.HasSuffix(name, "*") || cut:
			p.mistake(begin, "%s has a modifier of level 4 of RFC 6570: write %s; %s", name, short, supported)
		case name == "":
			p.mistake(begin, "{%s%s} lacks the name of a variable", operator, inner)
		case !isName(name):
			p.mistake(begin, `%q is not the name of a variable: names have letters, digits and "_", and "." between them`, name)
		case p.t.find(name) >= 0 || slices.Contains(names[:i], name):
			p.mistake(begin, "the variable %s occurs twice: give each its own name", name)
		}
	}
	return names
}

// isName reports whether a name is a varname of RFC 6570, 2.3, without percent-encoded bytes.
func isName(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if part == "" {
			return false
		}
		for i := range len(part) {
			if !inName.has(part[i]) {
				return false
			}
		}
	}
	return true
}

// place checks that the expression is allowed at its position.
func (p *parser) place(begin int, operator, whole string) {
	if p.tail != "" && operator != "#" || strings.HasPrefix(p.tail, "{#") {
		p.mistake(begin, "%s is after %s, which must be at the end; one {?a,b} or {&a,b} may have several variables", whole, p.tail)
		return
	}
	inside := p.at
	switch operator {
	case "", "+":
		if p.last != "" {
			p.mistake(begin, "nothing separates %s from %s before it: write text between them", whole, p.last)
		}
		if operator == "+" && inside.reserved < len(inside.variables) {
			p.mistake(begin, "%s is the second {+var}: what belongs to which would be unclear", whole)
		}
	case "?":
		switch inside {
		case &p.t.query:
			p.mistake(begin, `%s is after "?": write {&%s`, whole, whole[2:])
		case &p.t.fragment:
			p.mistake(begin, `%s is after "#": write it before`, whole)
		}
	case "&":
		switch inside {
		case &p.t.path:
			p.mistake(begin, `there is no "?" before %s: write {?%s`, whole, whole[2:])
		case &p.t.fragment:
			p.mistake(begin, `%s is after "#": write it before`, whole)
		}
	case "#":
		if inside == &p.t.fragment {
			p.mistake(begin, `%s is after "#": write {%s`, whole, whole[2:])
		}
	}
}

// variables adds the variables of a valid expression.
func (p *parser) variables(operator string, names []string) {
	kind := Simple
	switch operator {
	case "+":
		kind = Reserved
	case "?":
		kind = Query
		p.at = &p.t.query
		*p.at = component{present: true, optional: true, alone: true}
	case "&":
		kind = Query
	case "#":
		kind = Fragment
		p.open(&p.t.fragment)
		p.at.optional = true
	}
	for _, name := range names {
		i := len(p.t.variables)
		p.t.variables = append(p.t.variables, p.variable(Variable{name, kind}))
		if kind == Query {
			p.at.pairs = append(p.at.pairs, i)
			continue
		}
		p.at.variables = append(p.at.variables, i)
		p.at.literals = append(p.at.literals, "")
		if kind == Simple && p.at.reserved == len(p.at.variables)-1 {
			p.at.reserved++
		}
	}
}

// variable returns v with the raw characters and the rule for its position.
func (p *parser) variable(v Variable) variable {
	where := map[*component]set{&p.t.path: inPath, &p.t.query: inQuery, &p.t.fragment: inFragment}[p.at]
	switch {
	case v.Optional():
		raw := unreserved
		if v.Kind == Fragment {
			raw = where
		}
		return variable{v, raw, rule{what: text, mayEmpty: true}}
	case v.Kind == Simple && where == inPath:
		return variable{v, unreserved, rule{what: segment}}
	case v.Kind == Simple:
		return variable{v, unreserved, rule{what: text}}
	case where == inPath:
		before := p.at.literals[len(p.at.literals)-1]
		return variable{v, where, rule{what: segments, mayBegin: !strings.HasSuffix(before, "/") && !strings.HasSuffix(before, ".")}}
	default:
		return variable{v, where, rule{what: text}}
	}
}

// dotSegments reports "." and ".." segments in the path, which clients resolve before they send a URI (RFC 3986,
// 6.2.2.3).
func (p *parser) dotSegments() {
	path := strings.TrimPrefix(strings.Join(p.t.path.literals, "{}"), p.t.scheme)
	for part := range strings.SplitSeq(path, "/") {
		if part == "." || part == ".." {
			p.mistake(0, "the path has the segment %q, which clients resolve: write the path without it", part)
		}
	}
}
