package jsondoc

import "strings"

// Keyword is what is known of a keyword of JSON Schema.
type Keyword struct {
	Name string
	Role Role
	// Holds says how its value holds schemas.
	Holds Holds
	// Dialects are those that have the keyword.
	Dialects Dialects
	// About are the types of the values that it can refuse; values of all other types pass.
	About Types
	// Beside is the keyword without which this one has no effect, "" for none.
	Beside string
	// Order is where it stands among the others.
	Order int
}

// Role is what a keyword does.
type Role uint8

// The roles.
const (
	// Identifier is about the document, or names a part of it.
	Identifier Role = iota + 1
	// Reference applies a schema that stands elsewhere.
	Reference
	// Assertion refuses values.
	Assertion
	// Applicator applies the schemas that it holds.
	Applicator
	// Annotation refuses nothing: it describes a value.
	Annotation
	// Definitions holds schemas for references and applies none.
	Definitions
)

// Holds says how the value of a keyword holds schemas. The zero value is that it holds none.
type Holds uint8

const (
	// HoldsOne is a value that is a schema, or an array of schemas.
	HoldsOne Holds = iota + 1
	// HoldsNamed is an object whose members are schemas.
	HoldsNamed
)

// Dialects is a set of the dialects of JSON Schema that are known here. A keyword of a dialect between them is in none.
type Dialects uint8

// The dialects.
const (
	Draft7 Dialects = 1 << iota
	Draft2020

	bothDialects = Draft7 | Draft2020
)

// keywords is the vocabulary of both dialects, in the order in which schemas are compared: what a value is, its bounds, what
// it is made of, and what it refers to. A keyword that is kept for what refers to it, such as definitions, is in both.
var keywords = []Keyword{
	{Name: "$schema", Role: Identifier, Dialects: bothDialects},
	{Name: "$id", Role: Identifier, Dialects: bothDialects},
	{Name: "$vocabulary", Role: Identifier, Dialects: bothDialects},
	{Name: "$anchor", Role: Identifier, Dialects: Draft2020},
	{Name: "$dynamicAnchor", Role: Identifier, Dialects: Draft2020},
	{Name: "$recursiveAnchor", Role: Identifier},
	{Name: "$comment", Role: Annotation, Dialects: bothDialects},
	{Name: "title", Role: Annotation, Dialects: bothDialects},
	{Name: "description", Role: Annotation, Dialects: bothDialects},

	{Name: "type", Role: Assertion, Dialects: bothDialects, About: AnyType},
	{Name: "const", Role: Assertion, Dialects: bothDialects, About: AnyType},
	{Name: "enum", Role: Assertion, Dialects: bothDialects, About: AnyType},
	{Name: "enumNames", Role: Annotation}, // of MCP, beside enum

	{Name: "minimum", Role: Assertion, Dialects: bothDialects, About: TypeNumber},
	{Name: "exclusiveMinimum", Role: Assertion, Dialects: bothDialects, About: TypeNumber},
	{Name: "maximum", Role: Assertion, Dialects: bothDialects, About: TypeNumber},
	{Name: "exclusiveMaximum", Role: Assertion, Dialects: bothDialects, About: TypeNumber},
	{Name: "multipleOf", Role: Assertion, Dialects: bothDialects, About: TypeNumber},

	{Name: "minLength", Role: Assertion, Dialects: bothDialects, About: TypeString},
	{Name: "maxLength", Role: Assertion, Dialects: bothDialects, About: TypeString},
	{Name: "format", Role: Assertion, Dialects: bothDialects, About: TypeString},
	{Name: "pattern", Role: Assertion, Dialects: bothDialects, About: TypeString},
	{Name: "contentEncoding", Role: Annotation, Dialects: bothDialects, About: TypeString},
	{Name: "contentMediaType", Role: Annotation, Dialects: bothDialects, About: TypeString},
	{Name: "contentSchema", Role: Annotation, Holds: HoldsOne, Dialects: bothDialects, About: TypeString},

	{Name: "minItems", Role: Assertion, Dialects: bothDialects, About: TypeArray},
	{Name: "maxItems", Role: Assertion, Dialects: bothDialects, About: TypeArray},
	{Name: "prefixItems", Role: Applicator, Holds: HoldsOne, Dialects: Draft2020, About: TypeArray},
	{Name: "items", Role: Applicator, Holds: HoldsOne, Dialects: bothDialects, About: TypeArray},
	{Name: "additionalItems", Role: Applicator, Holds: HoldsOne, Dialects: Draft7, About: TypeArray},
	{Name: "uniqueItems", Role: Assertion, Dialects: bothDialects, About: TypeArray},
	{Name: "contains", Role: Applicator, Holds: HoldsOne, Dialects: bothDialects, About: TypeArray},
	{Name: "minContains", Role: Assertion, Dialects: Draft2020, About: TypeArray, Beside: "contains"},
	{Name: "maxContains", Role: Assertion, Dialects: Draft2020, About: TypeArray, Beside: "contains"},
	{Name: "unevaluatedItems", Role: Applicator, Holds: HoldsOne, Dialects: Draft2020, About: TypeArray},

	{Name: "minProperties", Role: Assertion, Dialects: bothDialects, About: TypeObject},
	{Name: "maxProperties", Role: Assertion, Dialects: bothDialects, About: TypeObject},
	{Name: "properties", Role: Applicator, Holds: HoldsNamed, Dialects: bothDialects, About: TypeObject},
	{Name: "required", Role: Assertion, Dialects: bothDialects, About: TypeObject},
	{Name: "patternProperties", Role: Applicator, Holds: HoldsNamed, Dialects: bothDialects, About: TypeObject},
	{Name: "additionalProperties", Role: Applicator, Holds: HoldsOne, Dialects: bothDialects, About: TypeObject},
	{Name: "propertyNames", Role: Applicator, Holds: HoldsOne, Dialects: bothDialects, About: TypeObject},
	{Name: "dependentRequired", Role: Assertion, Dialects: Draft2020, About: TypeObject},
	{Name: "dependentSchemas", Role: Applicator, Holds: HoldsNamed, Dialects: Draft2020, About: TypeObject},
	{Name: "dependencies", Role: Applicator, Holds: HoldsNamed, Dialects: Draft7, About: TypeObject}, // a value may be an array of names too
	{Name: "unevaluatedProperties", Role: Applicator, Holds: HoldsOne, Dialects: Draft2020, About: TypeObject},

	{Name: "$ref", Role: Reference, Dialects: bothDialects, About: AnyType},
	{Name: "$dynamicRef", Role: Reference, Dialects: Draft2020, About: AnyType},
	{Name: "$recursiveRef", Role: Reference, About: AnyType},
	{Name: "allOf", Role: Applicator, Holds: HoldsOne, Dialects: bothDialects, About: AnyType},
	{Name: "anyOf", Role: Applicator, Holds: HoldsOne, Dialects: bothDialects, About: AnyType},
	{Name: "oneOf", Role: Applicator, Holds: HoldsOne, Dialects: bothDialects, About: AnyType},
	{Name: "not", Role: Applicator, Holds: HoldsOne, Dialects: bothDialects, About: AnyType},
	{Name: "if", Role: Applicator, Holds: HoldsOne, Dialects: bothDialects, About: AnyType},
	{Name: "then", Role: Applicator, Holds: HoldsOne, Dialects: bothDialects, About: AnyType, Beside: "if"},
	{Name: "else", Role: Applicator, Holds: HoldsOne, Dialects: bothDialects, About: AnyType, Beside: "if"},

	{Name: "default", Role: Annotation, Dialects: bothDialects},
	{Name: "examples", Role: Annotation, Dialects: bothDialects},
	{Name: "deprecated", Role: Annotation, Dialects: bothDialects},
	{Name: "readOnly", Role: Annotation, Dialects: bothDialects},
	{Name: "writeOnly", Role: Annotation, Dialects: bothDialects},
	{Name: "definitions", Role: Definitions, Holds: HoldsNamed, Dialects: bothDialects},
	{Name: "$defs", Role: Definitions, Holds: HoldsNamed, Dialects: bothDialects},
}

var byName = func() map[string]Keyword {
	all := make(map[string]Keyword, len(keywords))
	for i, k := range keywords {
		k.Order = i + 1
		all[k.Name] = k
	}
	return all
}()

// KeywordNamed returns the keyword of that name, and whether it is one.
func KeywordNamed(name string) (Keyword, bool) {
	k, known := byName[name]
	return k, known
}

// Keywords returns all keywords in the order of the table; the caller may keep and change the slice.
func Keywords() []Keyword { return append([]Keyword(nil), keywords...) }

// Refuses reports whether somebody may refuse a value because of a keyword of that name: a validator, or whoever decodes
// the contents of a text. An unknown keyword is assumed to, unless its name begins with x-, as those of extensions.
func Refuses(name string) bool {
	if k, known := byName[name]; known {
		return k.About != 0
	}
	return !strings.HasPrefix(name, "x-")
}
