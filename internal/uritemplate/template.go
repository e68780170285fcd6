package uritemplate

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is the kind of expression in which a variable is written.
type Kind uint8

// The kinds of variables.
const (
	Simple   Kind = iota // {var}: in the path, one segment or a part of it
	Reserved             // {+var}: in the path, one or more segments
	Query                // one of {?a,b} or {&a,b}
)

// String returns the form of the expression, such as "{+var}".
func (k Kind) String() string { return [...]string{"{var}", "{+var}", "{?var}"}[k] }

// Variable is a variable of a template.
type Variable struct {
	Name string
	Kind Kind

	inPath bool   // not in the query
	before string // the literal before it
}

// Optional reports whether the variable may be absent from a URI.
func (v Variable) Optional() bool { return v.Kind == Query }

// raw returns the reserved characters that are not percent-encoded in values. No character may be written both ways, so
// each value has exactly one encoded form.
func (v Variable) raw() string {
	switch {
	case v.Kind != Reserved:
		return ""
	case v.inPath:
		return rawInPath
	default:
		return rawInQuery
	}
}

// check returns the reason if a decoded value is not allowed, a phrase that follows the name of the variable; "" if it
// is allowed. It protects functions that pass a value from a client to os.Open(filepath.Join(root, in.Name)):
//
//   - Every value is valid UTF-8 without control characters: C code ends a name at NUL, and a line break can forge a
//     line in a log.
//   - {var} in the path has no "/" and no "\", although RFC 6570 encodes them as %2F and %5C: the function expects one
//     path element, and proxies and clients treat %2F differently. {+var} is for values with slashes. "." and ".." are
//     not allowed because they are other directories.
//   - {+var} in the path has segments. None may be ".", "..", or empty, or have a "\", which separates directories on
//     Windows. An empty segment ("a//b", "a/") would give a file a second name, which a check against a list of
//     forbidden files would miss. The value may begin with "/" unless the literal before it ends with "/" or ".",
//     because the URI would then have an empty segment or a dot segment.
//   - A variable in the query may have "/" and "\", but not ".." as an element between them.
//
// These rules do not replace os.Root: they do not cover symbolic links, reserved names of Windows ("NUL", "C:"), and
// case.
func (v Variable) check(value string) (wrong string) {
	switch {
	case !utf8.ValidString(value):
		return "is not valid UTF-8"
	case strings.ContainsFunc(value, unicode.IsControl):
		return "has a control character"
	case value == "" && v.Kind != Query:
		return "is empty"
	case !v.inPath:
		value = strings.ReplaceAll(value, `\`, "/")
	case strings.Contains(value, `\`):
		return `has a "\", which separates directories on some systems`
	case v.Kind == Simple && strings.Contains(value, "/"):
		return `has a "/", which only {+var} may have`
	case value[0] == '/' && (strings.HasSuffix(v.before, "/") || strings.HasSuffix(v.before, ".")):
		return `begins with "/", and would make an empty or a dot segment with the text before it`
	case value != "/":
		value = strings.TrimPrefix(value, "/")
	}
	for segment := range strings.SplitSeq(value, "/") {
		switch {
		case segment == "..":
			return `is ".." or has it as a segment`
		case v.inPath && segment == ".":
			return `is "." or has it as a segment`
		case v.inPath && segment == "":
			return "has an empty segment"
		}
	}
	return ""
}

// Value is the value of a variable, percent-decoded: valid UTF-8 without control characters.
type Value struct {
	Name string
	Text string
}

// Template is a URI template, made by [Parse]. It is immutable and safe for concurrent use.
type Template struct {
	text      string
	variables []Variable
	literals  []string // in normal form, the literals around the variables before the pairs; one more than these
	pairs     string   // what the pairs begin with, "?" or "&"; "" if there are none

	// pattern matches the URIs in normal form, apart from the rules for values. It has a group for each variable before
	// the pairs, and one for all pairs. It is nil without variables.
	pattern *regexp.Regexp
}

// String returns the text from which the template was parsed.
func (t *Template) String() string { return t.text }

// IsLiteral reports whether the template has no variables. It then matches only the URI that Expand returns.
func (t *Template) IsLiteral() bool { return len(t.variables) == 0 }

// Variables returns the variables, in the order of the template. The caller may modify the slice.
func (t *Template) Variables() []Variable { return slices.Clone(t.variables) }

// split returns the variables before the pairs, and the variables of the pairs.
func (t *Template) split() (before, pairs []Variable) {
	n := len(t.literals) - 1
	return t.variables[:n], t.variables[n:]
}

// compile sets the pattern. Before {+var}, values are as short as possible; {+var} and those after it are as long as
// possible from the left, which makes those after it as short as possible from the right. Without {+var}, only the last
// value is long.
func (t *Template) compile() {
	if t.IsLiteral() {
		return
	}
	var b strings.Builder
	b.WriteString("^" + regexp.QuoteMeta(t.literals[0]))
	before, _ := t.split()
	lazy := "?"
	for i, v := range before {
		if v.Kind == Reserved {
			lazy = ""
		}
		b.WriteString(`((?:[\w.~` + regexp.QuoteMeta(v.raw()) + `-]|%[0-9A-F]{2})+` + lazy + `)` + regexp.QuoteMeta(t.literals[i+1]))
	}
	if t.pairs != "" {
		b.WriteString(`(?:` + regexp.QuoteMeta(t.pairs) + `(.+))?`)
	}
	t.pattern = regexp.MustCompile(b.String() + "$")
}
