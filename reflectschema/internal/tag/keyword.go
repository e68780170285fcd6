package tag

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

// A Keyword is a keyword of the jsonschema:"…" tag, with the data that the parser, the checks, the schema and the table
// in doc.go use.
type Keyword struct {
	Name     string
	Form     Form
	On       Shapes // the JSON forms that it applies to
	elements bool   // on a slice or array of these forms, it applies to the elements
	repeat   bool   // may be given more than once
	Doc      string

	member string                                        // the name in the schema, if different
	set    func(s *jsonschema.Schema, v json.RawMessage) // if setting the member is not enough

	Inherited bool // on an embedded struct, it also applies to the outer one
}

// A Form is the notation of a keyword's value in the tag.
type Form uint8

const (
	formFlag    Form = iota + 1 // nothing, or =true
	formBool                    // true or false
	formText                    // prose
	formValue                   // a value of the field's own type
	formNumber                  // a JSON number
	formCount                   // 0 to 2147483647
	formPattern                 // a regular expression
	formFormat                  // a name from formats
	formExtra                   // text, or JSON
)

var formNames = map[Form]string{
	formFlag: "", formBool: "=BOOL", formText: "=TEXT", formValue: "=VALUE", formNumber: "=NUMBER",
	formCount: "=COUNT", formPattern: "=REGEXP", formFormat: "=NAME", formExtra: "=TEXT or JSON",
}

// String returns the notation, such as =NUMBER.
func (f Form) String() string { return formNames[f] }

// Shapes is a set of JSON forms of a field.
type Shapes uint32

const (
	onString Shapes = 1 << iota
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
	onType    = Shapes(1 << 15) // the struct itself, on its blank field
	onList    = Shapes(1 << 16) // a slice of scalars; the value of the keyword is an element
)

// shapeNames contains the words for shapes, in doc.go and in mistakes. The first entry that is covered by the rest of a
// set names it.
var shapeNames = []struct {
	shapes Shapes
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

// Keywords contains all keywords of the tag, in the order of the documentation.
var Keywords = []Keyword{
	{Name: "title", Form: formText, On: onValues | onType, Doc: "short name for display"},
	{Name: "description", Form: formText, On: onValues | onType, Doc: "the description; doc:\"…\" does the same without escapes"},
	{Name: "enum", Form: formValue, On: onScalars, elements: true, repeat: true, Doc: "one of the allowed values; const for all constants of a string type"},
	{Name: "enumTitle", Form: formText, On: onStrings, elements: true, repeat: true, Doc: "shown by a form in place of the value; one per enum"},
	{Name: "const", Form: formValue, On: onScalars, Doc: "the only allowed value"},
	{Name: "default", Form: formValue, On: onValues, repeat: true, Doc: "the value if absent, which makes the field optional; one per element of a slice"},
	{Name: "example", member: "examples", Form: formValue, On: onValues | onType, elements: true, repeat: true, Doc: "an example value"},
	{Name: "minimum", Form: formNumber, On: onNumbers, elements: true, Doc: "at least"},
	{Name: "maximum", Form: formNumber, On: onNumbers, elements: true, Doc: "at most"},
	{Name: "exclusiveMinimum", Form: formNumber, On: onNumbers, elements: true, Doc: "more than"},
	{Name: "exclusiveMaximum", Form: formNumber, On: onNumbers, elements: true, Doc: "less than"},
	{Name: "multipleOf", Form: formNumber, On: onNumbers, elements: true, Doc: "a whole multiple of"},
	{Name: "minLength", Form: formCount, On: onStrings | onBytes, elements: true, Doc: "at least so many characters; for bytes, of their base64"},
	{Name: "maxLength", Form: formCount, On: onStrings | onBytes, elements: true, Doc: "at most so many characters; for bytes, of their base64"},
	{Name: "pattern", Form: formPattern, On: onStrings, elements: true, Doc: "a regular expression, not anchored by itself, that RE2 and ECMAScript read alike"},
	{Name: "format", Form: formFormat, On: onStrings, elements: true, Doc: "a format of JSON Schema, which is asserted"},
	{Name: "minItems", Form: formCount, On: onSlice, Doc: "at least so many elements"},
	{Name: "maxItems", Form: formCount, On: onSlice, Doc: "at most so many elements"},
	{Name: "uniqueItems", Form: formFlag, On: onSlice | onArray, Doc: "no two elements are equal"},
	{
		Name: "contains", Form: formValue, On: onList, Doc: "a value that at least one element has, or minContains elements",
		set: func(s *jsonschema.Schema, v json.RawMessage) { s.Contains = &jsonschema.Schema{Const: v} },
	},
	{Name: "minContains", Form: formCount, On: onList, Doc: "at least so many elements have the value of contains"},
	{Name: "maxContains", Form: formCount, On: onList, Doc: "at most so many elements have the value of contains"},
	{Name: "minProperties", Form: formCount, On: onMap, Doc: "at least so many members"},
	{Name: "maxProperties", Form: formCount, On: onMap, Doc: "at most so many members"},
	{Name: "required", Form: formFlag, On: onValues, Doc: "must be present, whatever the json tag says"},
	{Name: "optional", Form: formFlag, On: onValues, Doc: "may be absent"},
	{
		Name: "dependentRequired", Form: formText, On: onValues, repeat: true, Doc: "a field, by its name in JSON, that must be present if this one is",
		set: func(*jsonschema.Schema, json.RawMessage) {}, // it is a keyword of the struct; see schemaBuilder.object
	},
	{Name: "nullable", Form: formFlag, On: onValues, Doc: "may be null: on pointers, slices, maps and unions"},
	{Name: "readOnly", Form: formFlag, On: onValues, Doc: "only the server sets it"},
	{Name: "writeOnly", Form: formFlag, On: onValues, Doc: "never sent back; not in results"},
	{Name: "deprecated", Form: formFlag, On: onValues | onType, Doc: "should no longer be used"},
	{
		Name: "additionalProperties", Form: formBool, On: onType, Inherited: true, Doc: "whether members without a field are accepted, and dropped",
		set: func(s *jsonschema.Schema, v json.RawMessage) {
			if string(v) == "true" {
				s.AdditionalProperties = jsonschema.TrueSchema
			}
		},
	},
}

// Extension returns the keyword for a name that starts with x-.
func Extension(name string) *Keyword {
	return &Keyword{
		Name: name, Form: formExtra, On: onValues | onType, Inherited: true, Doc: "a custom annotation, published unchanged",
		set: func(s *jsonschema.Schema, v json.RawMessage) { SetExtra(s, name, v) },
	}
}

var isExtension = lazyRegexp(`^x-[A-Za-z0-9._-]+$`)

// lazyRegexp compiles an expression on first use. Most programs need none of them, and should not compile them at
// start.
func lazyRegexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// KeywordNamed returns the keyword with a name, or nil.
func KeywordNamed(name string) *Keyword {
	if strings.HasPrefix(name, jsondoc.ExtensionPrefix) && isExtension().MatchString(name) {
		return Extension(name)
	}
	return keywordsByName[name]
}

// keywordsByName is an index of Keywords, and keywordNames lists their names, for suggestions.
var keywordsByName, keywordNames = func() (byName map[string]*Keyword, names []string) {
	byName = make(map[string]*Keyword, len(Keywords))
	for i := range Keywords {
		byName[Keywords[i].Name] = &Keywords[i]
		names = append(names, Keywords[i].Name)
	}
	return byName, names
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
// order, by their names in schemas.
var counterparts = func() (ends [2][]string) {
	for i, least := range []bool{true, false} {
		for _, noun := range []string{"", jsondoc.Characters, jsondoc.Items, jsondoc.Members} {
			ends[i] = append(ends[i], jsondoc.LimitsOf(noun, least)[0].Name)
		}
	}
	return ends
}()

// apply sets the keyword in a schema. Keywords about presence, such as optional, set nothing.
func (k *Keyword) apply(s *jsonschema.Schema, v json.RawMessage) {
	if k.set != nil {
		k.set(s, v)
		return
	}
	setKeyword(s, k.SchemaName(), v)
}

// SchemaName returns the name of the keyword in a schema. By this name, rows of [Keywords] and of package jsondoc belong
// together.
func (k *Keyword) SchemaName() string { return cmp.Or(k.member, k.Name) }

// schema returns the row of the keyword in package jsondoc, the zero row if schemas do not have it.
func (k *Keyword) schema() jsondoc.Keyword {
	row, _ := jsondoc.KeywordNamed(k.SchemaName())
	return row
}

// KeywordOf returns the keyword with a name in schemas, or nil.
func KeywordOf(schemaName string) *Keyword {
	i := slices.IndexFunc(Keywords, func(k Keyword) bool { return k.SchemaName() == schemaName })
	if i < 0 {
		return nil
	}
	return &Keywords[i]
}

// aim returns the node that a keyword applies to: the field, or the elements of a slice. It returns false if the
// keyword does not apply.
func aim(seg segment, n *codec.Node) (target *codec.Node, elements, ok bool) {
	k, bare := seg.keyword, n.Bare()
	shape := shapeOf(n)
	if k.Name == "nullable" {
		nilable := []reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}
		if bare.Registered != nil {
			return bare, false, n.Kind == codec.KindPointer
		}
		return bare, false, (slices.Contains(nilable, n.GoType.Kind()) && shape != onAny) || n.Kind == codec.KindUnion
	}
	isList := (shape == onSlice || shape == onArray) && bare.Elem != nil
	if k.On&onList != 0 && shape == onSlice && isList {
		elem := bare.Elem.Bare()
		if k.Form != formValue {
			elem = bare
		}
		return elem, false, shapeOf(bare.Elem)&onScalars != 0
	}
	if isList && k.elements && (k.On&shape == 0 || !strings.HasPrefix(seg.value, "[")) {
		if elem := bare.Elem.Bare(); k.appliesTo(elem) {
			return elem, true, true
		}
	}
	return bare, false, k.appliesTo(bare)
}

// appliesTo reports whether the keyword applies to the values of a node.
func (k *Keyword) appliesTo(n *codec.Node) bool { return k.On&shapeOf(n) != 0 || k.limits(n) }

// limits reports whether the keyword is a bound of a type with text methods and an order.
func (k *Keyword) limits(n *codec.Node) bool {
	return n.Ordered && k.Form == formNumber && k.Name != "multipleOf"
}

// String returns the shapes in the words of the documentation.
func (on Shapes) String() string {
	var names []string
	for _, n := range shapeNames {
		if n.shapes&on == n.shapes {
			names = append(names, n.name)
			on &^= n.shapes
		}
	}
	return strings.Join(names, ", ")
}

// IsAny reports whether the values of a node may be any JSON.
func IsAny(n *codec.Node) bool { return shapeOf(n) == onAny }

// shapeOf returns the JSON form of a node.
func shapeOf(n *codec.Node) Shapes {
	n = n.Bare()
	if n.Quoted {
		return onQuoted
	}
	if n.Described {
		return onHook
	}
	if n.Registered != nil && n.Kind == codec.KindJSON {
		return cmp.Or(registeredShapes[JSONTypeOf(n.Registered.Doc())], onAny)
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
	case codec.KindAny, codec.KindRaw, codec.KindPointer, codec.KindOptional:
	}
	return onAny
}

// Describes reports whether the keyword may be in the tag of a field.
func (k *Keyword) Describes(n *codec.Node) bool {
	_, _, ok := aim(segment{keyword: k}, n)
	return ok
}

// DescribesStruct reports whether the keyword may be in the tag of a blank field.
func (k *Keyword) DescribesStruct() bool { return k.On&onType != 0 }
