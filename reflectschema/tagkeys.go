package reflectschema

import (
	"cmp"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
)

// A keyword is a keyword of the jsonschema:"…" tag, with the data that the parser, the checks, the schema and the table
// in doc.go use.
type keyword struct {
	name     string
	form     form
	on       shapes // the JSON forms that it applies to
	elements bool   // on a slice or array of these forms, it applies to the elements
	repeat   bool   // may be given more than once
	doc      string

	member string                                        // the name in the schema, if different
	set    func(s *jsonschema.Schema, v json.RawMessage) // if setting the member is not enough

	// cut returns the number of elements that a list must keep when it is shortened, -1 if it must not be shortened;
	// nil: no restriction. A shortened list is never longer than the list, and keeps its elements unique.
	cut func(value json.RawMessage) int

	inherited bool // on an embedded struct, it also applies to the outer one
}

// A form is the notation of a keyword's value in the tag.
type form uint8

const (
	formFlag    form = iota + 1 // nothing, or =true
	formBool                    // true or false
	formText                    // prose
	formValue                   // a value of the field's own type
	formNumber                  // a JSON number
	formCount                   // 0 to 2147483647
	formPattern                 // a regular expression
	formFormat                  // a name from formats
	formExtra                   // text, or JSON
)

var formNames = map[form]string{
	formFlag: "", formBool: "=BOOL", formText: "=TEXT", formValue: "=VALUE", formNumber: "=NUMBER",
	formCount: "=COUNT", formPattern: "=REGEXP", formFormat: "=NAME", formExtra: "=TEXT or JSON",
}

// shapes is a set of JSON forms of a field.
type shapes uint32

const (
	onString shapes = 1 << iota
	onText          // a string in the format of a type with text methods
	onTime
	onBytes
	onQuoted // a number or bool inside a string
	onInteger
	onNumber
	onBool
	onSlice
	onArray
	onMap
	onStruct
	onAny  // any JSON: any, json.RawMessage, types with JSON methods
	onHook // described by a JSONSchema or JSONSchemaExtend method
	onUnion

	onStrings = onString | onText
	onNumbers = onInteger | onNumber
	onScalars = onStrings | onTime | onQuoted | onNumbers | onBool | onAny
	onValues  = onScalars | onBytes | onSlice | onArray | onMap | onStruct | onUnion | onHook
	onType    = shapes(1 << 15) // the struct itself, on its blank field
	onList    = shapes(1 << 16) // a slice of scalars; the value of the keyword is an element
)

// shapeNames contains the words for shapes, in doc.go and in mistakes. The first entry that is covered by the rest of a
// set names it.
var shapeNames = []struct {
	shapes shapes
	name   string
}{
	{onValues, "every field"},
	{onScalars, "strings, numbers, bools, any"},
	{onStrings | onBytes, "strings, bytes"},
	{onStrings, "strings"},
	{onNumbers, "numbers"},
	{onSlice, "slices"},
	{onList, "slices of scalars"},
	{onArray, "arrays"},
	{onMap, "maps"},
	{onType, "blank field"},
}

// keywords contains all keywords of the tag, in the order of the documentation.
var keywords = []keyword{
	{name: "title", form: formText, on: onValues | onType, doc: "short name for display"},
	{name: "description", form: formText, on: onValues | onType, doc: "the description; doc:\"…\" does the same without escapes"},
	{name: "enum", form: formValue, on: onScalars, elements: true, repeat: true, doc: "one of the allowed values"},
	{name: "enumTitle", form: formText, on: onStrings, elements: true, repeat: true, doc: "what a form shows in place of the value; one per enum"},
	{name: "const", form: formValue, on: onScalars, doc: "the only allowed value"},
	{name: "default", form: formValue, on: onValues, repeat: true, doc: "the value if absent, which makes the field optional; one per element of a slice"},
	{name: "example", member: "examples", form: formValue, on: onValues | onType, elements: true, repeat: true, doc: "an example value"},
	{name: "minimum", form: formNumber, on: onNumbers, elements: true, doc: "at least"},
	{name: "maximum", form: formNumber, on: onNumbers, elements: true, doc: "at most"},
	{name: "exclusiveMinimum", form: formNumber, on: onNumbers, elements: true, doc: "more than"},
	{name: "exclusiveMaximum", form: formNumber, on: onNumbers, elements: true, doc: "less than"},
	{name: "multipleOf", form: formNumber, on: onNumbers, elements: true, doc: "a whole multiple of"},
	{name: "minLength", form: formCount, on: onStrings | onBytes, elements: true, doc: "at least so many characters; for bytes, of their base64"},
	{name: "maxLength", form: formCount, on: onStrings | onBytes, elements: true, doc: "at most so many characters; for bytes, of their base64"},
	{name: "pattern", form: formPattern, on: onStrings, elements: true, doc: "a regular expression, not anchored by itself, that RE2 and ECMAScript read alike"},
	{name: "format", form: formFormat, on: onStrings, elements: true, doc: "a format of JSON Schema, which is asserted"},
	{name: "minItems", form: formCount, on: onSlice, doc: "at least so many elements", cut: elements},
	{name: "maxItems", form: formCount, on: onSlice, doc: "at most so many elements"},
	{name: "uniqueItems", form: formFlag, on: onSlice | onArray, doc: "no two elements are equal"},
	{
		name: "contains", form: formValue, on: onList, doc: "a value that at least one element has, or minContains elements",
		set: func(s *jsonschema.Schema, v json.RawMessage) { s.Contains = &jsonschema.Schema{Const: v} },
		cut: func(json.RawMessage) int { return -1 }, // the elements that fit are known only after checking them
	},
	{name: "minContains", form: formCount, on: onList, doc: "at least so many elements have the value of contains"},
	{name: "maxContains", form: formCount, on: onList, doc: "at most so many elements have the value of contains"},
	{name: "minProperties", form: formCount, on: onMap, doc: "at least so many members"},
	{name: "maxProperties", form: formCount, on: onMap, doc: "at most so many members"},
	{name: "required", form: formFlag, on: onValues, doc: "must be present, whatever the json tag has"},
	{name: "optional", form: formFlag, on: onValues, doc: "may be absent"},
	{
		name: "dependentRequired", form: formText, on: onValues, repeat: true, doc: "a field, by its name in JSON, that must be present if this one is",
		set: func(*jsonschema.Schema, json.RawMessage) {}, // it is a keyword of the struct; see schemaBuilder.object
	},
	{name: "nullable", form: formFlag, on: onValues, doc: "may be null: on pointers, slices, maps and unions"},
	{name: "readOnly", form: formFlag, on: onValues, doc: "only the server sets it"},
	{name: "writeOnly", form: formFlag, on: onValues, doc: "never sent back; not in results"},
	{name: "deprecated", form: formFlag, on: onValues | onType, doc: "should not be used any more"},
	{
		name: "additionalProperties", form: formBool, on: onType, inherited: true, doc: "whether members without a field are accepted, and dropped",
		set: func(s *jsonschema.Schema, v json.RawMessage) {
			if string(v) == "true" {
				s.AdditionalProperties = jsonschema.TrueSchema
			}
		},
	},
}

// extension returns the keyword for a name that starts with x-.
func extension(name string) *keyword {
	return &keyword{
		name: name, form: formExtra, on: onValues | onType, inherited: true, doc: "an annotation of your own, published unchanged",
		set: func(s *jsonschema.Schema, v json.RawMessage) { setExtra(s, name, v) },
	}
}

var isExtension = lazyRegexp(`^x-[A-Za-z0-9._-]+$`)

// lazyRegexp compiles an expression on first use. Most programs need none of them, and should not compile them at
// start.
func lazyRegexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// keywordNamed returns the keyword with a name, or nil.
func keywordNamed(name string) *keyword {
	if strings.HasPrefix(name, jsondoc.ExtensionPrefix) && isExtension().MatchString(name) {
		return extension(name)
	}
	return keywordsByName[name]
}

// keywordsByName is an index of keywords.
var keywordsByName = func() map[string]*keyword {
	byName := make(map[string]*keyword, len(keywords))
	for i := range keywords {
		byName[keywords[i].name] = &keywords[i]
	}
	return byName
}()

// keywordNames lists the keywords, for suggestions.
var keywordNames = func() []string {
	names := make([]string, len(keywords))
	for i, k := range keywords {
		names[i] = k.name
	}
	return names
}()

// refused maps keywords of other libraries and of JSON Schema that the tag does not support to the advice for them.
var refused = map[string]string{
	"type":              "the Go type decides it; change the type, or write a JSONSchemaExtend method",
	"anchor":            "references are made by the derivation itself",
	"oneof_required":    "write a JSONSchemaExtend method on the type",
	"anyof_required":    "write a JSONSchemaExtend method on the type",
	"oneof_type":        "write a JSONSchemaExtend method on the type",
	"anyof_type":        "write a JSONSchemaExtend method on the type",
	"oneof_ref":         "write a JSONSchemaExtend method on the type",
	"anyof_ref":         "write a JSONSchemaExtend method on the type",
	"patternProperties": "write a JSONSchemaExtend method on the type",
	"contentMediaType":  "write a JSONSchemaExtend method on the type",
	"$comment":          "write a Go comment",
	"examples":          "write example=… once per example",
	"omitempty":         "it belongs to the json tag",
	"omitzero":          "it belongs to the json tag",
}

// counterparts lists the keywords for the lower and the upper bounds of numbers, strings, lists and maps, in this
// order.
var counterparts = func() (ends [2][]string) {
	for i, least := range []bool{true, false} {
		for _, noun := range []string{"", jsondoc.Characters, jsondoc.Items, jsondoc.Members} {
			ends[i] = append(ends[i], jsondoc.LimitsOf(noun, least)[0].Name)
		}
	}
	return ends
}()

// apply sets the keyword in a schema. Keywords about presence, such as optional, set nothing.
func (k *keyword) apply(s *jsonschema.Schema, v json.RawMessage) {
	if k.set != nil {
		k.set(s, v)
		return
	}
	setKeyword(s, cmp.Or(k.member, k.name), v)
}

// aim returns the node that a keyword applies to: the field, or the elements of a slice. It returns false if the
// keyword does not apply.
func aim(seg segment, n *codec.Node) (target *codec.Node, elements, ok bool) {
	k, bare := seg.keyword, n.Bare()
	shape := shapeOf(n)
	if k.name == "nullable" {
		nilable := []reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}
		if bare.Registered != nil {
			return bare, false, n.Kind == codec.KindPointer
		}
		return bare, false, (slices.Contains(nilable, n.GoType.Kind()) && shape != onAny) || n.Kind == codec.KindUnion
	}
	isList := (shape == onSlice || shape == onArray) && bare.Elem != nil
	if k.on&onList != 0 && shape == onSlice && isList {
		elem := bare.Elem.Bare()
		if k.form != formValue {
			elem = bare
		}
		return elem, false, shapeOf(bare.Elem)&onScalars != 0
	}
	if isList && k.elements && (k.on&shape == 0 || !strings.HasPrefix(seg.value, "[")) {
		if elem := bare.Elem.Bare(); k.on&shapeOf(elem) != 0 {
			return elem, true, true
		}
	}
	return bare, false, k.on&shape != 0
}

// String returns the shapes in the words of the documentation.
func (on shapes) String() string {
	var names []string
	for _, n := range shapeNames {
		if n.shapes&on == n.shapes {
			names = append(names, n.name)
			on &^= n.shapes
		}
	}
	return strings.Join(names, ", ")
}

// shapeOf returns the JSON form of a node.
func shapeOf(n *codec.Node) shapes {
	n = n.Bare()
	if n.Quoted {
		return onQuoted
	}
	if hookOf(n.GoType) != nil {
		return onHook
	}
	if n.Registered != nil && n.Kind == codec.KindJSON {
		return registeredShape(n.Registered.Doc())
	}
	switch n.Kind {
	case codec.KindBool:
		return onBool
	case codec.KindInt, codec.KindUint:
		return onInteger
	case codec.KindFloat, codec.KindNumber:
		return onNumber
	case codec.KindString:
		return onString
	case codec.KindText:
		return onText
	case codec.KindTime:
		return onTime
	case codec.KindBytes:
		return onBytes
	case codec.KindSlice:
		return onSlice
	case codec.KindArray:
		return onArray
	case codec.KindMap:
		return onMap
	case codec.KindStruct:
		return onStruct
	case codec.KindUnion:
		return onUnion
	case codec.KindJSON:
		if n.IsBigInt() {
			return onInteger
		}
	case codec.KindAny, codec.KindRaw, codec.KindPointer:
	}
	return onAny
}

// setExtra sets a keyword for which jsonschema.Schema has no field.
func setExtra(s *jsonschema.Schema, name string, v any) {
	if s.Extras == nil {
		s.Extras = map[string]any{}
	}
	s.Extras[name] = v
}
