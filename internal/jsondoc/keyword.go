package jsondoc

import (
	"cmp"
	"slices"
	"strings"
)

// Keyword describes a keyword of JSON Schema.
type Keyword struct {
	Name string
	Role Role
	// Holds is how its value contains schemas.
	Holds Holds
	// Dialects are the dialects that have the keyword.
	Dialects Dialects
	// About are the types of the values that it can reject; values of all other types pass.
	About Types
	// Beside is the keyword without which this one has no effect, "" if there is none.
	Beside string
	// Inside is the part of a value to which the schemas in the keyword apply.
	Inside Part
	// Adds is true if the schemas in the keyword further constrain a value described by another schema, like those of
	// allOf, or leave its type open, like contains. The linter does not require a type, a closed object, or required
	// members in them.
	Adds bool
	// Closes is true if the keyword usually has the value false, which rejects all parts that no other keyword
	// describes.
	Closes bool
	// Limit is the end of the range that the keyword sets, nil if it does not set one.
	Limit *Limit
	// Bounds is true if the keyword restricts values, but not by a Limit; pattern is an example. If it is set by a tag,
	// it is compared with the other bounds of the schema (reflectschema/internal/vet/contradiction.go) and with
	// registered values, and must be equal to the keyword in a registered schema. Set it if the keyword, alone or
	// together with others, can reject all values.
	Bounds bool
	// Reading is the position in a document made for people; larger numbers come later. Keywords without one keep their
	// order.
	Reading int
	// Order is the position in the vocabulary, from 1 on. Comparisons list differences in this order.
	Order int
}

// Limit is one end of a range.
type Limit struct {
	// Of names what is counted, a noun in the singular; "" if the number itself is limited.
	Of string
	// Least is true for the lower end.
	Least bool
	// Open is true if the range excludes the end itself.
	Open bool
	// Absent is the limit if the keyword is absent but the keyword in Beside is present; 0 means no limit.
	Absent int
}

// Nouns for what a limit counts.
const (
	Characters = "character"
	Items      = "item"
	Members    = "member"
	Matches    = "matching item" // an item that the schema of contains accepts
)

// Part is a part of a value.
type Part uint8

// The parts. Whole is the value itself.
const (
	Whole Part = iota
	InsideItem
	InsideMember
	InsideName // the name of a member
)

// Role is the function of a keyword.
type Role uint8

// The roles.
const (
	// Identifier describes the document, or names a part of it.
	Identifier Role = iota + 1
	// Reference applies a schema from another location.
	Reference
	// Assertion rejects values.
	Assertion
	// Applicator applies the schemas in its value.
	Applicator
	// Annotation describes a value and does not reject any.
	Annotation
	// Definitions contains schemas for references and does not apply them.
	Definitions
)

// Holds is how the value of a keyword contains schemas. The zero value means that it does not.
type Holds uint8

const (
	// HoldsOne means that the value is a schema, or an array of schemas.
	HoldsOne Holds = iota + 1
	// HoldsNamed means that the value is an object whose members are schemas.
	HoldsNamed
)

// Dialects is a set of dialects of JSON Schema.
type Dialects uint8

// The dialects.
const (
	Draft7 Dialects = 1 << iota
	Draft2020
	// OfMCP marks keywords that MCP defines, for all dialects.
	OfMCP
	// elsewhere marks keywords of unsupported dialects, such as $recursiveRef of 2019-09.
	elsewhere

	bothDialects = Draft7 | Draft2020
)

// keywords is the vocabulary of both dialects, in the order in which schemas are compared: the type of a value, its
// bounds, its parts, and references. Keywords that references lead to, such as definitions, are in both dialects,
// because conversion to the other dialect must not drop them.
var keywords = slices.Concat(
	about(0, []Keyword{
		{Name: "$schema", Role: Identifier},
		{Name: "$id", Role: Identifier},
		{Name: "$vocabulary", Role: Identifier},
		{Name: "$anchor", Role: Identifier, Dialects: Draft2020},
		{Name: "$dynamicAnchor", Role: Identifier, Dialects: Draft2020},
		{Name: "$recursiveAnchor", Role: Identifier, Dialects: elsewhere},
		{Name: "$comment", Role: Annotation},
		{Name: "title", Role: Annotation, Reading: 10},
		{Name: "description", Role: Annotation, Reading: 20},
	}),
	about(AnyType, []Keyword{
		{Name: "type", Role: Assertion, Reading: 30},
		{Name: "const", Role: Assertion, Reading: 50},
		{Name: "enum", Role: Assertion, Reading: 60},
	}),
	about(0, []Keyword{
		{Name: "enumNames", Role: Annotation, Dialects: OfMCP},
	}),
	about(TypeNumber, []Keyword{
		{Name: "minimum", Role: Assertion, Limit: &Limit{Least: true}, Reading: 180},
		{Name: "exclusiveMinimum", Role: Assertion, Limit: &Limit{Least: true, Open: true}, Reading: 190},
		{Name: "maximum", Role: Assertion, Limit: &Limit{}, Reading: 200},
		{Name: "exclusiveMaximum", Role: Assertion, Limit: &Limit{Open: true}, Reading: 210},
		{Name: "multipleOf", Role: Assertion, Bounds: true, Reading: 220},
	}),
	about(TypeString, []Keyword{
		{Name: "minLength", Role: Assertion, Limit: &Limit{Of: Characters, Least: true}, Reading: 230},
		{Name: "maxLength", Role: Assertion, Limit: &Limit{Of: Characters}, Reading: 240},
		{Name: "format", Role: Assertion, Bounds: true, Reading: 70},
		{Name: "pattern", Role: Assertion, Bounds: true, Reading: 90},
		{Name: "contentEncoding", Role: Annotation, Reading: 80},
		{Name: "contentMediaType", Role: Annotation},
		{Name: "contentSchema", Role: Annotation, Holds: HoldsOne},
	}),
	about(TypeArray, []Keyword{
		{Name: "minItems", Role: Assertion, Limit: &Limit{Of: Items, Least: true}, Reading: 250},
		{Name: "maxItems", Role: Assertion, Limit: &Limit{Of: Items}, Reading: 260},
		{Name: "prefixItems", Role: Applicator, Holds: HoldsOne, Dialects: Draft2020, Inside: InsideItem},
		{Name: "items", Role: Applicator, Holds: HoldsOne, Inside: InsideItem, Reading: 130},
		{Name: "additionalItems", Role: Applicator, Holds: HoldsOne, Dialects: Draft7, Inside: InsideItem, Closes: true},
		{Name: "uniqueItems", Role: Assertion, Bounds: true, Reading: 270},
		{Name: "contains", Role: Applicator, Holds: HoldsOne, Bounds: true, Inside: InsideItem, Adds: true},
		{Name: "minContains", Role: Assertion, Dialects: Draft2020, Beside: "contains", Limit: &Limit{Of: Matches, Least: true, Absent: 1}},
		{Name: "maxContains", Role: Assertion, Dialects: Draft2020, Beside: "contains", Limit: &Limit{Of: Matches}},
		{Name: "unevaluatedItems", Role: Applicator, Holds: HoldsOne, Dialects: Draft2020, Inside: InsideItem, Closes: true},
	}),
	about(TypeObject, []Keyword{
		{Name: "minProperties", Role: Assertion, Limit: &Limit{Of: Members, Least: true}, Reading: 280},
		{Name: "maxProperties", Role: Assertion, Limit: &Limit{Of: Members}, Reading: 290},
		{Name: "properties", Role: Applicator, Holds: HoldsNamed, Inside: InsideMember, Reading: 140},
		{Name: "required", Role: Assertion, Reading: 150},
		{Name: "patternProperties", Role: Applicator, Holds: HoldsNamed, Inside: InsideMember},
		{Name: "additionalProperties", Role: Applicator, Holds: HoldsOne, Inside: InsideMember, Closes: true, Reading: 160},
		{Name: "propertyNames", Role: Applicator, Holds: HoldsOne, Inside: InsideName, Adds: true, Reading: 170},
		{Name: "dependentRequired", Role: Assertion, Dialects: Draft2020},
		{Name: "dependentSchemas", Role: Applicator, Holds: HoldsNamed, Dialects: Draft2020, Adds: true},
		{Name: "dependencies", Role: Applicator, Holds: HoldsNamed, Dialects: Draft7, Adds: true}, // a value may be an array of names too
		{Name: "unevaluatedProperties", Role: Applicator, Holds: HoldsOne, Dialects: Draft2020, Inside: InsideMember, Closes: true},
	}),
	about(AnyType, []Keyword{
		{Name: "$ref", Role: Reference, Reading: 40},
		{Name: "$dynamicRef", Role: Reference, Dialects: Draft2020},
		{Name: "$recursiveRef", Role: Reference, Dialects: elsewhere},
		{Name: "allOf", Role: Applicator, Holds: HoldsOne, Adds: true, Reading: 120},
		{Name: "anyOf", Role: Applicator, Holds: HoldsOne, Reading: 100},
		{Name: "oneOf", Role: Applicator, Holds: HoldsOne, Reading: 110},
		{Name: "not", Role: Applicator, Holds: HoldsOne, Adds: true},
		{Name: "if", Role: Applicator, Holds: HoldsOne, Adds: true},
		{Name: "then", Role: Applicator, Holds: HoldsOne, Beside: "if", Adds: true},
		{Name: "else", Role: Applicator, Holds: HoldsOne, Beside: "if", Adds: true},
	}),
	about(0, []Keyword{
		{Name: "default", Role: Annotation, Reading: 300},
		{Name: "examples", Role: Annotation, Reading: 310},
		{Name: "deprecated", Role: Annotation, Reading: 320},
		{Name: "readOnly", Role: Annotation, Reading: 330},
		{Name: "writeOnly", Role: Annotation, Reading: 340},
		{Name: "definitions", Role: Definitions, Holds: HoldsNamed},
		{Name: "$defs", Role: Definitions, Holds: HoldsNamed, Reading: lastReading},
	}),
)

// about completes rows of keywords that can reject values of these types; 0 if they reject none. A row without Dialects
// is in both.
func about(types Types, rows []Keyword) []Keyword {
	for i := range rows {
		rows[i].About, rows[i].Dialects = types, cmp.Or(rows[i].Dialects, bothDialects)
	}
	return rows
}

// lastReading is the Reading of definitions, which come after the keywords whose Reading is 0.
const lastReading = 1 << 20

var byName = func() map[string]Keyword {
	all := make(map[string]Keyword, len(keywords))
	for i, k := range keywords {
		k.Order = i + 1
		all[k.Name] = k
	}
	return all
}()

// KeywordNamed returns the keyword with this name, and whether there is one.
func KeywordNamed(name string) (Keyword, bool) {
	k, known := byName[name]
	return k, known
}

// IsAnnotation reports whether a validator may ignore a keyword with this name, in all dialects: an annotation, a
// keyword of an extension, or definitions, which have no effect until a reference leads to them.
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

// ExtensionPrefix is the prefix of the names of extension keywords, which no dialect defines.
const ExtensionPrefix = "x-"

// Refuses reports whether a validator, or a decoder of the contents of a string, may reject a value because of a
// keyword with this name. It assumes so of unknown keywords, except for those with [ExtensionPrefix].
func Refuses(name string) bool {
	if k, known := byName[name]; known {
		return k.About != 0
	}
	return !strings.HasPrefix(name, ExtensionPrefix)
}

// Closes reports whether a keyword that contains a schema usually has the value false; see [Keyword].
func Closes(name string) bool { return byName[name].Closes }

// IsOfDocument reports whether a keyword at the root of a document describes the document, and not the root schema.
func IsOfDocument(name string) bool {
	return byName[name].Role == Definitions || name == "$schema" || name == "$id"
}

// Reading returns the position of a keyword in a document made for people: the meaning and type of a value first, then
// its parts, its bounds, annotations such as default, all other keywords, and definitions last.
func Reading(name string) int {
	if place := byName[name].Reading; place != 0 {
		return place
	}
	return lastReading - 1
}

// NamesOf returns the names of the keywords for which is returns true, in the order of the table.
func NamesOf(is func(Keyword) bool) (names []string) {
	for _, k := range keywords {
		if is(k) {
			names = append(names, k.Name)
		}
	}
	return names
}

// SaysNothingElsewhere reports whether the keyword is a mistake in a schema whose type it does not apply to.
// Annotations and keywords with Closes are common there and have no effect, and OpenAPI has formats of numbers.
func (k Keyword) SaysNothingElsewhere() bool {
	return k.About != 0 && k.About != AnyType && k.Role != Annotation && !k.Closes && k.Name != "format"
}

// IsBound reports whether the keyword restricts the values of a type.
func (k Keyword) IsBound() bool { return k.Limit != nil || k.Bounds }

// LimitsOf returns the keywords that set one end of a range, the lower one if least is true. Noun names what is
// counted; "" is for keywords that limit a number itself.
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

// Limit returns one end of the range of a count in the schema d, the lower one if least is true, and whether there is a
// limit. Noun names what is counted.
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

// Together returns the names of a group of keywords that have no effect without the first one: the keyword in
// Keyword.Beside, or name if that is empty, and all keywords that are Beside it.
func Together(name string) []string {
	first := cmp.Or(byName[name].Beside, name)
	return append([]string{first}, NamesOf(func(k Keyword) bool { return k.Beside == first })...)
}
