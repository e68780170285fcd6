package uritemplate

import "slices"

// MaxVariables is how many variables a template may have.
const MaxVariables = 32

// Kind says how a variable is written in a template, and so what its values may be.
type Kind uint8

// The kinds of variables.
const (
	Simple   Kind = iota // {var}: in the path, one segment or a part of it
	Reserved             // {+var}: in the path, one or more segments
	Query                // one of {?a,b} or {&a,b}
	Fragment             // {#var}
)

// String returns how a variable of this kind is written.
func (k Kind) String() string { return [...]string{"{var}", "{+var}", "{?var}", "{#var}"}[k] }

// Variable is a variable of a template.
type Variable struct {
	Name string
	Kind Kind
}

// Optional reports whether a URI may lack the variable.
func (v Variable) Optional() bool { return v.Kind == Query || v.Kind == Fragment }

// Value is a variable with its value, percent-decoded: valid UTF-8 without control characters.
type Value struct {
	Name string
	Text string
}

// Template is a URI template. It is made by [Parse], never changes, and is safe for concurrent use.
type Template struct {
	text      string
	scheme    string // with the colon
	variables []variable

	// A URI is cut at the first "#", and what is before it at the first "?", and the three parts are matched independently.
	// This is exact, because variables before a "?" or "#" encode that character.
	path, query, fragment component
}

// variable is a variable, with what follows from its position.
type variable struct {
	Variable
	raw  set
	rule rule
}

// component is one of the three parts of a template: literals and variables, and after them pairs.
type component struct {
	present  bool // a URI may have this part
	optional bool // and may lack it

	literals  []string // in normal form; one more than variables, which stand between them
	variables []int    // of Template.variables, in order
	reserved  int      // index in variables of {+var}; len(variables) if there is none

	pairs []int // of Template.variables: {?a,b} or {&a,b}
	alone bool  // {?a,b}: there is nothing before the pairs, and at least one
}

// String returns the text that the template was made of.
func (t *Template) String() string { return t.text }

// IsLiteral reports whether the template has no variables: it matches one URI, which Expand returns.
func (t *Template) IsLiteral() bool { return len(t.variables) == 0 }

// Variables returns the variables, in the order of the template. The slice is the caller's.
func (t *Template) Variables() []Variable {
	variables := make([]Variable, len(t.variables))
	for i, v := range t.variables {
		variables[i] = v.Variable
	}
	return variables
}

// prefix returns what every text of the component begins with.
func (c *component) prefix() string {
	if len(c.literals) == 0 {
		return ""
	}
	return c.literals[0]
}

func (t *Template) components() [3]*component {
	return [...]*component{&t.path, &t.query, &t.fragment}
}

// find returns which of the variables has the name, or -1.
func (t *Template) find(name string) int {
	return slices.IndexFunc(t.variables, func(v variable) bool { return v.Name == name })
}
