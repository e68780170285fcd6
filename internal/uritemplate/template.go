package uritemplate

import "slices"

// MaxVariables is the maximum number of variables in a template.
const MaxVariables = 32

// Kind is the kind of expression in which a variable is written. It determines which values the variable may have.
type Kind uint8

// The kinds of variables.
const (
	Simple   Kind = iota // {var}: in the path, one segment or a part of it
	Reserved             // {+var}: in the path, one or more segments
	Query                // one of {?a,b} or {&a,b}
	Fragment             // {#var}
)

// String returns the form of the expression, such as "{+var}".
func (k Kind) String() string { return [...]string{"{var}", "{+var}", "{?var}", "{#var}"}[k] }

// Variable is a variable of a template.
type Variable struct {
	Name string
	Kind Kind
}

// Optional reports whether the variable may be absent from a URI.
func (v Variable) Optional() bool { return v.Kind == Query || v.Kind == Fragment }

// Value is the value of a variable, percent-decoded: valid UTF-8 without control characters.
type Value struct {
	Name string
	Text string
}

// Template is a URI template, made by [Parse]. It is immutable and safe for concurrent use.
type Template struct {
	text      string
	scheme    string // with the colon
	variables []variable

	// A URI is split at the first "#" and, before that, at the first "?". The three parts are matched independently,
	// which is exact because variables before a "?" or "#" encode that character.
	path, query, fragment component
}

// variable is a variable with the properties that depend on its position.
type variable struct {
	Variable
	raw  set // characters that are not percent-encoded
	rule rule
}

// component is the path, the query or the fragment of a template: literals and variables, followed by pairs.
type component struct {
	present  bool // a URI may have this component
	optional bool // a URI may also lack it

	literals  []string // in normal form; the variables are between them, so there is one more
	variables []int    // indexes in Template.variables, in order
	reserved  int      // index of the {+var} in variables; len(variables) if there is none

	pairs []int // indexes in Template.variables of {?a,b} or {&a,b}
	alone bool  // {?a,b}: the component consists of one or more of the pairs, and nothing else
}

// String returns the text from which the template was parsed.
func (t *Template) String() string { return t.text }

// IsLiteral reports whether the template has no variables. It then matches only the URI that Expand returns.
func (t *Template) IsLiteral() bool { return len(t.variables) == 0 }

// Variables returns the variables, in the order of the template. The caller may modify the slice.
func (t *Template) Variables() []Variable {
	variables := make([]Variable, len(t.variables))
	for i, v := range t.variables {
		variables[i] = v.Variable
	}
	return variables
}

// prefix returns the literal with which the component begins.
func (c *component) prefix() string {
	if len(c.literals) == 0 {
		return ""
	}
	return c.literals[0]
}

func (t *Template) components() [3]*component {
	return [...]*component{&t.path, &t.query, &t.fragment}
}

// find returns the index of the variable with this name, or -1.
func (t *Template) find(name string) int {
	return slices.IndexFunc(t.variables, func(v variable) bool { return v.Name == name })
}
