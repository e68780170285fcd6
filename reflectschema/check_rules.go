package reflectschema

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// rules is a schema, or a part of one, whose every keyword the plan knows, made
// ready for checking values. Values that follow the rules are valid; of others
// nothing is known. What the keywords say depends on no dialect: where 2020-12 and
// draft-07 differ, there are no rules.
type rules struct {
	types  typeSet
	null   bool // null is a legal value
	choice *choices
	text   textRules
	number numberRules
	list   listRules
	object objectRules
	union  *unionRules // then nothing else is said, but that it is an object

	// same holds all the rest when only null is said here; see nullableRules.
	same *rules
}

// anything are the rules of the schema {}.
var anything = &rules{types: anyType, null: true}

// resolved returns the rules for values other than null.
func (r *rules) resolved() *rules {
	if r.same != nil {
		return r.same
	}
	return r
}

// typeSet is a set of JSON types.
type typeSet uint8

const (
	typeNull typeSet = 1 << iota
	typeBool
	typeInteger
	typeFraction // a number that is no integer, or is not written as one
	typeString
	typeArray
	typeObject

	typeNumber = typeInteger | typeFraction
	anyType    = typeNull | typeBool | typeNumber | typeString | typeArray | typeObject
)

var typeSets = map[string]typeSet{
	"null": typeNull, "boolean": typeBool, "integer": typeInteger, "number": typeNumber,
	"string": typeString, "array": typeArray, "object": typeObject,
}

// annotations are the keywords that say nothing about which values are valid.
// Content keywords are among them, since the authority does not assert them.
var annotations = map[string]bool{
	"title": true, "description": true, "default": true, "examples": true, "deprecated": true,
	"readOnly": true, "writeOnly": true, "$comment": true, "contentEncoding": true, "contentMediaType": true,
}

// isAnnotation reports whether the plan may pass over a keyword. Definitions say
// nothing until a $ref points at them.
func isAnnotation(keyword string) bool {
	return annotations[keyword] || keyword == "$defs" || keyword == "definitions" ||
		(strings.HasPrefix(keyword, extensionPrefix) && len(keyword) > len(extensionPrefix))
}

// A rulebook turns one document into rules.
type rulebook struct {
	doc  *jsondoc.Value
	refs map[string]*rules // by pointer, which may still be growing
}

// rulesOf returns the rules of a whole document; nil when the plan does not know
// everything in it.
func rulesOf(doc *jsondoc.Value) *rules {
	b := rulebook{doc: doc, refs: map[string]*rules{}}
	root := doc
	if dialect := doc.Get("$schema"); dialect != nil {
		if dialectOf(dialect.Text()) == nil {
			return nil
		}
		root = doc.Without("$schema")
	}
	r, ok := b.schema(root)
	if !ok {
		return nil
	}
	return r
}

// schema returns the rules of a subschema.
func (b *rulebook) schema(d *jsondoc.Value) (*rules, bool) {
	switch {
	case d.Kind == jsontext.KindTrue:
		return anything, true
	case d.Kind != jsontext.KindBeginObject:
		return nil, false
	case d.Get("$ref") != nil:
		return b.reference(d)
	case d.Get("anyOf") != nil:
		return b.nullable(d)
	case d.Get("oneOf") != nil:
		return b.union(d)
	}
	r := &rules{types: anyType}
	plain := true // nothing but annotations
	for _, m := range d.Members {
		if isAnnotation(m.Name) {
			continue
		}
		plain = false
		if !b.keyword(r, m.Name, m.Value) {
			return nil, false
		}
	}
	if plain {
		return anything, true
	}
	r.null = r.types&typeNull != 0 && (r.choice == nil || r.choice.null)
	return r, true
}

// keyword adds one keyword to r, if it is one that the plan knows.
func (b *rulebook) keyword(r *rules, name string, v *jsondoc.Value) bool {
	switch name {
	case "type":
		types, ok := parseTypes(v)
		r.types = types
		return ok
	case "enum", "const":
		return r.addChoices(name, v)
	case "minLength", "maxLength", "pattern", "format":
		return r.text.add(name, v)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return r.number.add(name, v)
	case "items", "minItems", "maxItems", "uniqueItems":
		return b.addToList(&r.list, name, v)
	case "properties", "required", "additionalProperties", "propertyNames", "minProperties", "maxProperties":
		return b.addToObject(&r.object, name, v)
	default:
		return false
	}
}

func parseTypes(v *jsondoc.Value) (typeSet, bool) {
	if v.Kind == jsontext.KindString {
		t, ok := typeSets[v.Text()]
		return t, ok
	}
	var types typeSet
	for _, item := range v.Items {
		t, ok := typeSets[item.Text()]
		if !ok {
			return 0, false
		}
		types |= t
	}
	return types, types != 0
}

// onlyBeside reports whether d says nothing but keyword and annotations.
func onlyBeside(d *jsondoc.Value, keyword string) bool {
	for _, m := range d.Members {
		if m.Name != keyword && !isAnnotation(m.Name) {
			return false
		}
	}
	return true
}

// reference follows a $ref. Its target must say something itself: a chain of
// references might have no end.
func (b *rulebook) reference(d *jsondoc.Value) (*rules, bool) {
	pointer, ok := localPointer(d.Get("$ref").Text())
	if !ok || !onlyBeside(d, "$ref") || !isReferable(pointer) {
		return nil, false
	}
	if r, ok := b.refs[pointer]; ok {
		return r, true
	}
	target := b.doc.At(pointer)
	if target == nil || target.Get("$ref") != nil || target.Get("anyOf") != nil || target.Get("$schema") != nil {
		return nil, false
	}
	r := &rules{}
	b.refs[pointer] = r // for those that the target itself leads to
	made, ok := b.schema(target)
	if !ok {
		return nil, false
	}
	*r = *made
	return r, true
}

// isReferable reports whether a pointer names the root or a definition of it.
// Anything deeper might lie behind an $id that gives it another meaning.
func isReferable(pointer string) bool {
	if pointer == "" {
		return true
	}
	rest, ok := strings.CutPrefix(pointer, "/$defs/")
	if !ok {
		rest, ok = strings.CutPrefix(pointer, "/definitions/")
	}
	return ok && !strings.Contains(rest, "/")
}

// nullable reads the one form of anyOf that the plan knows: a schema, or null.
func (b *rulebook) nullable(d *jsondoc.Value) (*rules, bool) {
	arms := d.Get("anyOf").Items
	if len(arms) != 2 || !onlyBeside(d, "anyOf") || arms[0].Get("anyOf") != nil {
		return nil, false
	}
	if null := arms[1]; len(null.Members) != 1 || null.Get("type").Text() != "null" {
		return nil, false
	}
	r, ok := b.schema(arms[0])
	if !ok {
		return nil, false
	}
	return &rules{null: true, same: r}, true
}
