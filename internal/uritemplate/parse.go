package uritemplate

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// supported is the end of the messages for expressions of RFC 6570 that this package does not support.
const supported = "supported are {var}, {+var}, {?a,b} and {&a,b}"

// Parse parses a template. The error lists all mistakes, one per line, each with the position of its character, counted
// from 1, and usually with a correction.
func Parse(text string) (*Template, error) {
	p := parser{text: text, t: &Template{text: text, literals: []string{""}}}
	if len(text) > MaxURI {
		p.mistake(0, "the template is longer than %d bytes", MaxURI)
	}
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
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	p.t.compile()
	return p.t, nil
}

// parser is the state of one Parse.
type parser struct {
	text string
	pos  int // the text before it is parsed
	errs []error

	t        *Template
	query    bool   // the text so far has a "?"
	reserved bool   // the path, or the query if there is one, has a {+var}
	last     string // the expression directly before pos, "" if there is none
	tail     string // the {?a,b} or {&a,b} so far, "" if there is none; it must be at the end
}

// mistake adds a mistake; pos is its byte offset in the text.
func (p *parser) mistake(pos int, format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("character %d: %w", utf8.RuneCountInString(p.text[:pos])+1, fmt.Errorf(format, args...)))
}

// schemeName matches a scheme (RFC 3986, 3.1) in lower case.
var schemeName = regexp.MustCompile(`^[a-z][a-z0-9+.-]*$`)

// scheme checks the scheme.
func (p *parser) scheme() {
	end := strings.IndexAny(p.text, ":/?#{")
	if end < 0 || p.text[end] != ':' {
		p.mistake(0, `missing scheme: begin with a name for your URIs that has no variables, such as %q`, withScheme(p.text))
		return
	}
	if scheme := p.text[:end]; !schemeName.MatchString(scheme) {
		p.mistake(0, `the scheme %q is not a letter followed by letters, digits, "+", "-" and ".", all in lower case, as clients write it`, scheme)
		return
	}
	if strings.HasPrefix(p.text, "file://{") {
		p.mistake(len("file://"), `a file URI has an empty host: write file:///{+path}, whose value does not begin with "/"`)
	}
}

// withScheme returns a template without a scheme with one: "/orders/{id}" becomes "app:///orders/{id}".
func withScheme(text string) string {
	switch {
	case strings.Contains(text, ":"):
		return "app://"
	case strings.HasPrefix(text, "//"):
		return "app:" + text
	default:
		return "app://" + text
	}
}

// literal reads text between expressions.
func (p *parser) literal(s string) {
	begin := p.pos
	p.pos += len(s)
	p.last = ""
	if p.tail != "" {
		p.mistake(begin, "%q is after %s, which must be at the end", s, p.tail)
		return
	}
	p.checkLiteral(begin, s)
	normal, _ := Normalize(s)
	p.t.literals[len(p.t.literals)-1] += normal
	if !p.query && strings.Contains(s, "?") {
		p.query, p.reserved = true, false
	}
}

// checkLiteral adds a mistake for each character that may not be in a literal.
func (p *parser) checkLiteral(begin int, s string) {
	before := len(p.errs)
	for i := 0; i < len(s); {
		c, size := utf8.DecodeRuneInString(s[i:])
		_, isEncoded := encodedByte(s[i:])
		switch {
		case isEncoded:
			size = len("%00")
		case c == '%':
			p.mistake(begin+i, `a "%%" that two hexadecimal digits do not follow: write %%25`)
		case c == '#':
			p.mistake(begin+i, `"#" begins a fragment, which clients do not send: write %%23`)
		case !isUnreserved(s[i]) && strings.IndexByte(reserved, s[i]) < 0:
			p.mistake(begin+i, "%q is not allowed in a URI: write %s", s[i:i+size], encode(s[i:i+size], ""))
		}
		i += size
	}
	if len(p.errs) > before {
		return
	}
	if text, _ := url.PathUnescape(s); !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		p.mistake(begin, "%q has percent-encoded control characters, or bytes that are not UTF-8", s)
	}
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
	if inner != "" && !isAlphanumeric(inner[0]) && inner[0] != '_' && inner[0] < utf8.RuneSelf {
		operator, inner = inner[:1], inner[1:]
	}
	before := len(p.errs)
	names := p.names(begin, operator, inner)
	p.place(begin, operator, whole)
	p.last = whole
	if len(p.errs) > before {
		return
	}
	for _, name := range names {
		p.add(name, operator)
	}
	if operator == "?" || operator == "&" {
		p.t.pairs, p.tail = operator, whole
	}
}

// add adds a variable of a valid expression.
func (p *parser) add(name, operator string) {
	literals := p.t.literals
	v := Variable{Name: name, inPath: !p.query, before: literals[len(literals)-1]}
	switch operator {
	case "?", "&":
		v.Kind, v.inPath = Query, false
	case "+":
		v.Kind, p.reserved = Reserved, true
	}
	p.t.variables = append(p.t.variables, v)
	if v.Kind != Query {
		p.t.literals = append(literals, "")
	}
}

// varName matches a varname of RFC 6570, 2.3, without percent-encoded bytes.
var varName = regexp.MustCompile(`^\w+(\.\w+)*$`)

// badName is the format of a mistake.
const badName = `%q is not a variable name: names have letters, digits and "_", and "." between them`

// instead returns what to write instead of an expression of level 3 or 4: {/path*} may have several segments, as {+path}
// may.
func instead(operator string, names []string) string {
	var b strings.Builder
	for _, spec := range names {
		name, explodes := strings.CutSuffix(spec, "*")
		name, _, _ = strings.Cut(name, ":")
		b.WriteString(operator)
		switch {
		case operator == ";":
			b.WriteString(name + "={" + name + "}")
		case explodes:
			b.WriteString("{+" + name + "}")
		default:
			b.WriteString("{" + name + "}")
		}
	}
	return b.String()
}

// names returns the names in an expression. It checks what does not depend on the position of the expression.
func (p *parser) names(begin int, operator, inner string) []string {
	names := strings.Split(inner, ",")
	switch operator {
	case "", "+":
		if len(names) > 1 {
			p.mistake(begin, "{%s%s} has %d variables: write one expression for each, with text between them; %s", operator, inner, len(names), supported)
		}
	case "?", "&":
	case "#":
		p.mistake(begin, "{%s%s} is a fragment, which clients do not send: %s", operator, inner, supported)
	case ".", "/", ";":
		p.mistake(begin, "{%s%s} is of level 3 of RFC 6570: write %q; %s", operator, inner, instead(operator, names), supported)
	default:
		p.mistake(begin, "{%s%s} begins with %q, which is not an operator: %s", operator, inner, operator, supported)
		return nil
	}
	for i, name := range names {
		switch short, _, cut := strings.Cut(strings.TrimSuffix(name, "*"), ":"); {
		case (strings.HasSuffix(name, "*") || cut) && operator != "" && strings.Contains("./;", operator):
			if !varName.MatchString(short) {
				p.mistake(begin, badName, short)
			}
		case strings.HasSuffix(name, "*") || cut:
			p.mistake(begin, "%s has a modifier of level 4 of RFC 6570: write %s; %s", name, short, supported)
		case name == "":
			p.mistake(begin, "{%s%s} has no variable name", operator, inner)
		case !varName.MatchString(name):
			p.mistake(begin, badName, name)
		case slices.Contains(names[:i], name), slices.ContainsFunc(p.t.variables, func(v Variable) bool { return v.Name == name }):
			p.mistake(begin, "the variable %s occurs twice: give each its own name", name)
		}
	}
	return names
}

// place checks that the expression is allowed at its position.
func (p *parser) place(begin int, operator, whole string) {
	switch {
	case p.tail != "":
		p.mistake(begin, "%s is after %s, which must be at the end; one {?a,b} or {&a,b} may have several variables", whole, p.tail)
	case operator == "?" && p.query:
		p.mistake(begin, `%s is after "?": write {&%s`, whole, whole[2:])
	case operator == "&" && !p.query:
		p.mistake(begin, `there is no "?" before %s: write {?%s`, whole, whole[2:])
	case (operator == "" || operator == "+") && p.last != "":
		p.mistake(begin, "nothing separates %s from %s before it: write text between them", whole, p.last)
	}
	if operator == "+" && p.reserved {
		p.mistake(begin, "%s is the second {+var}: matching would be ambiguous", whole)
	}
}

// dotSegments reports "." and ".." segments in the path, which clients resolve before they send a URI (RFC 3986,
// 6.2.2.3).
func (p *parser) dotSegments() {
	path, _, _ := strings.Cut(strings.Join(p.t.literals, "{}"), "?")
	_, path, _ = strings.Cut(path, ":")
	for part := range strings.SplitSeq(path, "/") {
		if part == "." || part == ".." {
			p.mistake(0, "the path has the segment %q, which clients resolve: write the path without it", part)
		}
	}
}
