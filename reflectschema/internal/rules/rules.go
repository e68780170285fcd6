package rules

import (
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// Rules is a schema, or a part of one, prepared for checking values. All keywords
// of the schema are supported. A value that follows the rules is valid; whether
// another value is valid is unknown. The meaning of the keywords is the same in
// 2020-12 and draft-07; schemas with other keywords do not have rules.
type Rules struct {
	Types  jsondoc.Types
	Null   bool // null is valid
	Choice *Choices
	Text   Text
	Number Number
	List   List
	Object Object
	Union  *Union // if not nil, the only rule, except that Types is TypeObject

	Document *jsondoc.Value // the schema; nil if it allows all values

	// same has the rules for values other than null if the schema is a nullable anyOf; otherwise it is nil. Then only
	// Null and Document are set here.
	same *Rules
}

// Anything are the rules of a schema without restrictions, such as {}.
var Anything = &Rules{Types: jsondoc.AnyType, Null: true}

// Resolved returns the rules for values other than null.
func (r *Rules) Resolved() *Rules {
	if r.same != nil {
		return r.same
	}
	return r
}

// A rulebook makes the rules of one document.
type rulebook struct {
	doc  *jsondoc.Value
	refs map[string]*Rules // targets of references by pointer; incomplete while they are made
}

// Of returns the rules of a document, nil if the document has an unsupported
// keyword or an unsupported combination of keywords.
func Of(doc *jsondoc.Value) *Rules {
	b := rulebook{doc: doc, refs: map[string]*Rules{}}
	root := doc
	if dialect := doc.Get("$schema"); dialect != nil {
		if authority.DraftOf(dialect.Text()) == nil {
			return nil
		}
		root = doc.Without("$schema")
	}
	r, ok := b.schema(root)
	if !ok {
		return nil
	}
	if r.Document == root {
		r.Document = doc
	}
	return r
}

// schema returns the rules of a subschema.
func (b *rulebook) schema(d *jsondoc.Value) (*Rules, bool) {
	switch {
	case d.IsTrue():
		return Anything, true
	case d.Kind != rawjson.Object:
		return nil, false
	case d.Get("$ref") != nil:
		return b.reference(d)
	case d.Get("anyOf") != nil:
		return b.anyOf(d)
	case d.Get("oneOf") != nil:
		return b.union(d, "oneOf")
	}
	r := &Rules{Types: jsondoc.AnyType, Document: d}
	plain := true // nothing but annotations
	for _, m := range d.Members {
		if jsondoc.IsAnnotation(m.Name) {
			continue
		}
		plain = false
		if !b.keyword(r, m.Name, m.Value) {
			return nil, false
		}
	}
	if plain {
		return Anything, true
	}
	r.Null = r.Types&jsondoc.TypeNull != 0 && (r.Choice == nil || r.Choice.null)
	return r, true
}

// keyword adds a keyword to r. It reports false if it does not support the keyword or its value.
func (b *rulebook) keyword(r *Rules, name string, v *jsondoc.Value) bool {
	switch k, _ := jsondoc.KeywordNamed(name); k.About {
	case jsondoc.TypeString:
		return r.Text.add(k, v)
	case jsondoc.TypeNumber:
		return r.Number.add(k, v)
	case jsondoc.TypeArray:
		return b.addToList(&r.List, k, v)
	case jsondoc.TypeObject:
		return b.addToObject(&r.Object, k, v)
	default:
		return r.add(name, v)
	}
}

// add adds a keyword for values of all types.
func (r *Rules) add(name string, v *jsondoc.Value) (ok bool) {
	switch name {
	case "type":
		r.Types, ok = parseTypes(v)
		return ok
	case "enum", "const":
		return r.addChoices(name, v)
	default:
		return false
	}
}

func parseTypes(v *jsondoc.Value) (jsondoc.Types, bool) {
	for _, item := range v.Items {
		if item.Types() == 0 || item.IsArray() {
			return 0, false
		}
	}
	return v.Types(), v.Types() != 0
}

// onlyBeside reports whether d has no keywords but this one and annotations.
func onlyBeside(d *jsondoc.Value, keyword string) bool {
	return !slices.ContainsFunc(d.Members, func(m jsondoc.Member) bool { return m.Name != keyword && !jsondoc.IsAnnotation(m.Name) })
}

// reference returns the rules of the target of a $ref. The target must not have
// $ref or $schema itself, or be another schema or null: a chain of references might be endless.
func (b *rulebook) reference(d *jsondoc.Value) (*Rules, bool) {
	pointer, ok := jsondoc.LocalPointer(d.Get("$ref").Text())
	if !ok || !onlyBeside(d, "$ref") || !isReferable(pointer) {
		return nil, false
	}
	if r, ok := b.refs[pointer]; ok {
		return r, true
	}
	target := b.doc.At(pointer)
	if target == nil || target.Get("$ref") != nil || target.Get("$schema") != nil {
		return nil, false
	}
	r := &Rules{}
	b.refs[pointer] = r // for references to it inside the target
	made, ok := b.schema(target)
	if !ok || made.same != nil {
		return nil, false
	}
	*r = *made
	return r, true
}

// isReferable reports whether a pointer leads to the root or to a definition of
// the root. A longer pointer could lead into a schema with an $id, which changes
// the meaning of the pointer.
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

// anyOf returns the rules of an anyOf, if it has a supported form: a union, or a schema and null.
func (b *rulebook) anyOf(d *jsondoc.Value) (*Rules, bool) {
	arms := d.Get("anyOf").Items
	if len(arms) != 2 || len(arms[1].Members) != 1 || arms[1].Get("type").Text() != "null" {
		return b.union(d, "anyOf")
	}
	if !onlyBeside(d, "anyOf") {
		return nil, false
	}
	r, ok := b.schema(arms[0])
	if !ok || r.same != nil {
		return nil, false
	}
	return &Rules{Null: true, same: r, Document: d}, true
}
