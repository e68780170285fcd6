package jsondoc

import (
	"cmp"
	"strings"
)

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
	// Inside says what of a value the schemas that it holds are about.
	Inside Part
	// Adds says that the schemas that it holds add something to what another schema says of the value, as those of allOf do, or
	// leave its type open, as contains does. The linter does not expect of them a type, a closed object, or required members.
	Adds bool
	// Closes says that the usual value is a boolean: false refuses whatever no other keyword names.
	Closes bool
	// Limit is what it bounds, nil for nothing.
	Limit *Limit
	// Bounds says that it bounds values in another way than by a Limit, as pattern does. A tag that has it is compared with the
	// other bounds of the schema (reflectschema/internal/vet/contradiction.go) and with registered values, and must not differ
	// from that of a registered schema. Set it if it can leave no value, alone or beside others.
	Bounds bool
	// Reading is where it stands in a document made for people, a larger number further down. Those with none follow as
	// they come.
	Reading int
	// Order is where it stands among the others in a comparison.
	Order int
}

// Limit is one end of a range.
type Limit struct {
	// Of is what is counted, a noun in the singular; "" for the number itself.
	Of string
	// Least says that it is the lower end.
	Least bool
	// Open says that the end itself is outside.
	Open bool
	// Absent is the limit where the keyword is not there, but the one that it stands beside is; 0 is none.
	Absent int
}

// Nouns for what a limit counts.
const (
	Characters = "character"
	Items      = "item"
	Members    = "member"
	Matches    = "matching item" // which fits what the array must contain
)

// Part is a part of a value.
type Part uint8

// The parts. The zero value is the whole.
const (
	Whole Part = iota
	InsideItem
	InsideMember
	InsideName // the name of a member
)

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
	// OfMCP are keywords that the protocol adds, whatever the dialect.
	OfMCP

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
	{Name: "title", Role: Annotation, Dialects: bothDialects, Reading: 10},
	{Name: "description", Role: Annotation, Dialects: bothDialects, Reading: 20},

	{Name: "type", Role: Assertion, Dialects: bothDialects, About: AnyType, Reading: 30},
	{Name: "const", Role: Assertion, Dialects: bothDialects, About: AnyType, Reading: 50},
	{Name: "enum", Role: Assertion, Dialects: bothDialects, About: AnyType, Reading: 60},
	{Name: "enumNames", Role: Annotation, Dialects: OfMCP},

	{Name: "minimum", Role: Assertion, Dialects: bothDialects, About: TypeNumber, Limit: &Limit{Least: true}, Reading: 180},
	{Name: "exclusiveMinimum", Role: Assertion, Dialects: bothDialects, About: TypeNumber, Limit: &Limit{Least: true, Open: true}, Reading: 190},
	{Name: "maximum", Role: Assertion, Dialects: bothDialects, About: TypeNumber, Limit: &Limit{}, Reading: 200},
	{Name: "exclusiveMaximum", Role: Assertion, Dialects: bothDialects, About: TypeNumber, Limit: &Limit{Open: true}, Reading: 210},
	{Name: "multipleOf", Role: Assertion, Dialects: bothDialects, About: TypeNumber, Bounds: true, Reading: 220},

	{Name: "minLength", Role: Assertion, Dialects: bothDialects, About: TypeString, Limit: &Limit{Of: Characters, Least: true}, Reading: 230},
	{Name: "maxLength", Role: Assertion, Dialects: bothDialects, About: TypeString, Limit: &Limit{Of: Characters}, Reading: 240},
	{Name: "format", Role: Assertion, Dialects: bothDialects, About: TypeString, Bounds: true, Reading: 70},
	{Name: "pattern", Role: Assertion, Dialects: bothDialects, About: TypeString, Bounds: true, Reading: 90},
	{Name: "contentEncoding", Role: Annotation, Dialects: bothDialects, About: TypeString, Reading: 80},
	{Name: "contentMediaType", Role: Annotation, Dialects: bothDialects, About: TypeString},
	{Name: "contentSchema", Role: Annotation, Holds: HoldsOne, Dialects: bothDialects, About: TypeString},

	{Name: "minItems", Role: Assertion, Dialects: bothDialects, About: TypeArray, Limit: &Limit{Of: Items, Least: true}, Reading: 250},
	{Name: "maxItems", Role: Assertion, Dialects: bothDialects, About: TypeArray, Limit: &Limit{Of: Items}, Reading: 260},
	{Name: "prefixItems", Role: Applicator, Holds: HoldsOne, Dialects: Draft2020, About: TypeArray, Inside: InsideItem},
	{Name: "items", Role: Applicator, Holds: HoldsOne, Dialects: bothDialects, About: TypeArray, Inside: InsideItem, Reading: 130},
	{Name: "additionalItems", Role: Applicator, Holds: HoldsOne, Dialects: Draft7, About: TypeArray, Inside: InsideItem, Closes: true},
	{Name: "uniqueItems", Role: Assertion, Dialects: bothDialects, About: TypeArray, Bounds: true, Reading: 270},
	{Name: "contains", Role: Applicator, Holds: HoldsOne, Dialects: bothDialects, About: TypeArray, Bounds: true, Inside: InsideItem, Adds: true},
	{Name: "minContains", Role: Assertion, Dialects: Draft2020, About: TypeArray, Beside: "contains", Limit: &Limit{Of: Matches, Least: true, Absent: 1}},
	{Name: "maxContains", Role: Assertion, Dialects: Draft2020, About: TypeArray, Beside: "contains", Limit: &Limit{Of: Matches}},
	{Name: "unevaluatedItems", Role: Applicator, Holds: HoldsOne, Dialects: Draft2020, About: TypeArray, Inside: InsideItem, Closes: true},

	{Name: "minProperties", Role: Assertion, Dialects: bothDialects, About: TypeObject, Limit: &Limit{Of: Members, Least: true}, Reading: 280},
	{Name: "maxProperties", Role: Assertion, Dialects: bothDialects, About: TypeObject, Limit: &Limit{Of: Members}, Reading: 290},
	{Name: "properties", Role: Applicator, Holds: HoldsNamed, Dialects: bothDialects, About: TypeObject, Inside: InsideMember, Reading: 140},
	{Name: "required", Role: Assertion, Dialects: bothDialects, About: TypeObject, Reading: 150},
	{Name: "patternProperties", Role: Applicator, Holds: HoldsNamed, Dialects: bothDialects, About: TypeObject, Inside: InsideMember},
	{Name: "additionalProperties", Role: Applicator, Holds: HoldsOne, Dialects: bothDialects, About: TypeObject, Inside: InsideMember, Closes: true, Reading: 160},
	{Name: "propertyNames", Role: Applicator, Holds: HoldsOne, Dialects: bothDialects, About: TypeObject, Inside: InsideName, Adds: true, Reading: 170},
	{Name: "dependentRequired", Role: Assertion, Dialects: Draft2020, About: TypeObject},
	{Name: "dependentSchemas", Role: Applicator, Holds: HoldsNamed, Dialects: Draft2020, About: TypeObject, Adds: true},
	{Name: "dependencies", Role: Applicator, Holds: HoldsNamed, Dialects: Draft7, About: TypeObject, Adds: true}, // a value may be an array of names too
	{Name: "unevaluatedProperties", Role: Applicator, Holds: HoldsOne, Dialects: Draft2020, About: TypeObject, Inside: InsideMember, Closes: true},

	{Name: "$ref", Role: Reference, Dialects: bothDialects, About: AnyType, Reading: 40},
	{Name: "$dynamicRef", Role: Reference, Dialects: Draft2020, About: AnyType},
	{Name: "$recursiveRef", Role: Reference, About: AnyType},
	{Name: "allOf", Role: Applicator, Holds: HoldsOne, Dialects: bothDialects, About: AnyType, Adds: true, Reading: 120},
	{Name: "anyOf", Role: Applicator, Holds: HoldsOne, Dialects: bothDialects, About: AnyType, Reading: 100},
	{Name: "oneOf", Role: Applicator, Holds: HoldsOne, Dialects: bothDialects, About: AnyType, Reading: 110},
	{Name: "not", Role: Applicator, Holds: HoldsOne, Dialects: bothDialects, About: AnyType, Adds: true},
	{Name: "if", Role: Applicator, Holds: HoldsOne, Dialects: bothDialects, About: AnyType, Adds: true},
	{Name: "then", Role: Applicator, Holds: HoldsOne, Dialects: bothDialects, About: AnyType, Beside: "if", Adds: true},
	{Name: "else", Role: Applicator, Holds: HoldsOne, Dialects: bothDialects, About: AnyType, Beside: "if", Adds: true},

	{Name: "default", Role: Annotation, Dialects: bothDialects, Reading: 300},
	{Name: "examples", Role: Annotation, Dialects: bothDialects, Reading: 310},
	{Name: "deprecated", Role: Annotation, Dialects: bothDialects, Reading: 320},
	{Name: "readOnly", Role: Annotation, Dialects: bothDialects, Reading: 330},
	{Name: "writeOnly", Role: Annotation, Dialects: bothDialects, Reading: 340},
	{Name: "definitions", Role: Definitions, Holds: HoldsNamed, Dialects: bothDialects},
	{Name: "$defs", Role: Definitions, Holds: HoldsNamed, Dialects: bothDialects, Reading: lastReading},
}

// lastReading is the place of definitions, behind all that has no place.
const lastReading = 1 << 20

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

// IsAnnotation reports whether a validator may pass over a keyword of that name, whatever the dialect: it describes the
// value, or is of an extension. Definitions say nothing until a reference leads to them.
func IsAnnotation(name string) bool {
	k, known := byName[name]
	switch {
	case !known:
		return len(name) > len(ExtensionPrefix) && strings.HasPrefix(name, ExtensionPrefix)
	case k.Role == Annotation:
		return k.Dialects == bothDialects && k.Holds == 0
	default:
		return k.Role == Definitions
	}
}

// ExtensionPrefix begins the names of keywords that nobody has defined.
const ExtensionPrefix = "x-"

// Refuses reports whether somebody may refuse a value because of a keyword of that name: a validator, or whoever decodes
// the contents of a text. An unknown keyword is assumed to, unless its name begins with x-, as those of extensions.
func Refuses(name string) bool {
	if k, known := byName[name]; known {
		return k.About != 0
	}
	return !strings.HasPrefix(name, ExtensionPrefix)
}

// Closes reports whether false is a usual value of a keyword that holds a schema.
func Closes(name string) bool { return byName[name].Closes }

// IsOfDocument reports whether a keyword is about the document that a schema is the root of, and not about the schema.
func IsOfDocument(name string) bool {
	return byName[name].Role == Definitions || name == "$schema" || name == "$id"
}

// Reading returns where a keyword stands in a document made for people: what a value is first, what it is made of, within
// what bounds; what they have no place for, and definitions at the very end.
func Reading(name string) int {
	if place := byName[name].Reading; place != 0 {
		return place
	}
	return lastReading - 1
}

// NamesOf returns the names of the keywords of a kind, in the order of the table.
func NamesOf(is func(Keyword) bool) (names []string) {
	for _, k := range keywords {
		if is(k) {
			names = append(names, k.Name)
		}
	}
	return names
}

// SaysNothingElsewhere reports whether a keyword beside a type that it is not about is a mistake. To close what a value has
// not, or to annotate what it is not, does no harm, and there are formats of numbers in OpenAPI.
func (k Keyword) SaysNothingElsewhere() bool {
	return k.About != 0 && k.About != AnyType && k.Role != Annotation && !k.Closes && k.Name != "format"
}

// MaxItems is the row of that keyword.
var MaxItems = byName["maxItems"]

// IsBound reports whether the keyword bounds the values of a type.
func (k Keyword) IsBound() bool { return k.Limit != nil || k.Bounds }

// LimitsOf returns the keywords that limit something at one end: how many there are of what a noun names, or, if there is
// none, a number.
func LimitsOf(noun string, least bool) []Keyword { return limits[Limit{Of: noun, Least: least}] }

var limits = func() map[Limit][]Keyword {
	all := map[Limit][]Keyword{}
	for _, k := range keywords {
		if k.Limit != nil {
			end := Limit{Of: k.Limit.Of, Least: k.Limit.Least}
			all[end] = append(all[end], k)
		}
	}
	return all
}()

// Limit returns what a schema limits the number of what a noun names to, at one end, and whether it does.
func (d *Value) Limit(noun string, least bool) (n int, ok bool) {
	for _, k := range LimitsOf(noun, least) {
		switch v := d.Get(k.Name); {
		case k.Beside != "" && d.Get(k.Beside) == nil:
		case v != nil:
			return v.Count(), true
		case k.Limit.Absent > 0:
			return k.Limit.Absent, true
		}
	}
	return 0, false
}

// Together returns a keyword with those that mean something only beside it, or beside what it stands beside itself.
func Together(name string) []string {
	first := cmp.Or(byName[name].Beside, name)
	return append([]string{first}, NamesOf(func(k Keyword) bool { return k.Beside == first })...)
}
