package reflectschema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
	"github.com/mcptool-go/mcptool/reflectschema/internal/walk"
)

// A flatForm is a flat struct that a person fills in, with strings, numbers, booleans, and choices of strings. [formOf]
// makes one. It is immutable and safe for concurrent use.
type flatForm struct {
	values *Type
	fields []formField
}

// A choice is one of the strings that a person can choose.
type choice struct {
	value string // in the answer
	title string // displayed to the person; "" displays the value
}

// A formField is one field of a form.
type formField struct {
	name     string
	at       walk.Location
	kind     string           // the type in its schema
	frame    []jsondoc.Member // keywords of its schema that every form supports
	free     bool             // the person types the value; otherwise they pick from choices
	choices  []choice
	named    bool           // the titles are enumNames from a method of the type, and are published as such
	def      *jsondoc.Value // nil if there is none
	required bool
}

// formOf returns the type, which should be compiled with [DirectionInput], as a form. The error is a [TypeErrors] with
// every part that a form does not support: a root that is not a struct, nested objects, lists other than choices of
// strings, choices that are not strings, formats other than date, date-time, email and uri, mcp tags, and every other
// constraint except minLength, maxLength, minimum, maximum, minItems, maxItems and uniqueItems, for example pattern and
// multipleOf. An exclusive bound of an integer becomes an inclusive one; of a float it is not supported.
func formOf(t *Type) (*flatForm, error) {
	f := &formMaker{owner: t.goType}
	root := t.root().Bare()
	if root.Kind != codec.KindStruct || t.schema.doc().Get("properties") == nil {
		f.refuse(walk.Location{Owner: t.goType}, "a form needs named fields", "use a struct")
		return nil, f.errs
	}
	walk.EachTag(t.goType, func(goPath string, _ bool, p tag.Pair) {
		if p.Key == walk.ToolKey {
			f.errs = append(f.errs, &typeError{
				Type: t.goType.String(), Field: goPath, Tag: p.Text,
				Reason: "the mcp tag describes a tool, and this is a form", Fix: "use a struct without it; fields can be shared by embedding",
			})
		}
	})
	shape := t.graph.shapes[root]
	return f.form(t, t.schema.doc(), func(field *formField) bool {
		f.ownPattern = false
		if i := slices.IndexFunc(shape.Members, func(m walk.Member) bool { return m.Name == field.name }); i >= 0 {
			m := &shape.Members[i]
			field.at = shape.At.Member(root.GoType, m.GoPath, m.Name)
			f.titles, f.settings = nil, m.Settings
			f.ownPattern = m.Node.Bare().Kind == codec.KindText && !slices.ContainsFunc(m.Settings, func(s tag.Setting) bool { return s.Keyword.Name == "pattern" })
			if m.Node.Kind == codec.KindOptional {
				f.refuse(field.at, "a form has no null, so it cannot set "+m.Node.GoType.String()+" to it", fmt.Sprintf("use %s, which is nil if the field is left empty", m.Node.Elem.GoType))
				return false
			}
		}
		return true
	})
}

// SchemaForm returns the form for a schema, an object with the fields of a form as its properties. It decodes answers into a
// [encoding/json.RawMessage], with the defaults of absent members. The error is that of [ParseSchema], or a [TypeErrors] as for
// [formOf] whose type is "schema". It also has mistakes that JSON Schema allows, see package vet.
func (internals) SchemaForm(schema json.RawMessage) (private.Form, error) {
	f, err := schemaForm(schema)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Form returns a type as a form. The rules and the error are those of [formOf].
func (internals) Form(t *Type) (private.Form, error) {
	f, err := formOf(t)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// WithChoices is the method of a form that Form or SchemaForm returned.
func (internals) WithChoices(of private.Form, field string, values, titles []string) (private.Form, error) {
	f, err := of.(*flatForm).WithChoices(field, values, titles) //nolint:errcheck,forcetypeassert // no other type is a form
	if err != nil {
		return nil, err
	}
	return f, nil
}

// DecodeForm is the method Decode of a form that Form or SchemaForm returned.
func (internals) DecodeForm(f private.Form, data []byte, dst reflect.Value) error {
	return f.(*flatForm).Decode(data, dst) //nolint:errcheck,forcetypeassert // no other type is a form
}

// schemaForm is SchemaForm.
func schemaForm(schema json.RawMessage) (*flatForm, error) {
	s, err := ParseSchema(schema)
	if err != nil {
		return nil, err
	}
	anything, err := Compile(reflect.TypeFor[json.RawMessage](), DirectionInput)
	if err != nil {
		return nil, err
	}
	values, err := withSchema(anything, s)
	if err != nil {
		return nil, err
	}
	f := new(formMaker)
	if s.doc().Get("type").Text() != "object" || !s.doc().Get("properties").IsObject() {
		f.refuse(walk.Location{}, "a form needs named fields", `write "type":"object" and properties`)
		return nil, f.errs
	}
	form, err := f.form(values, s.doc(), func(*formField) bool { return true })
	if err == nil { // otherwise they would repeat the errors
		for _, m := range vetMistakes(s) {
			f.refuse(walk.Location{}, m.Reason, m.Fix)
		}
	}
	if len(f.errs) > 0 {
		return nil, bounded(f.errs)
	}
	return form, nil
}

// maxFormErrors is the maximum number of mistakes in an error for a form. Its schema may come from anywhere, and the error
// is logged.
const maxFormErrors = 20

// bounded returns the first errors, with the number of the others.
func bounded(errs TypeErrors) TypeErrors {
	more := len(errs) - maxFormErrors
	if more <= 0 {
		return errs
	}
	return append(errs[:maxFormErrors:maxFormErrors], formError(walk.Location{}, fmt.Sprintf("and %d more mistakes", more), ""))
}

// form makes the form with the fields in the schema of its values. If member returns false, the field has a mistake.
func (f *formMaker) form(values *Type, schema *jsondoc.Value, member func(*formField) bool) (*flatForm, error) {
	for _, m := range schema.Members {
		restricts := m.Name == "additionalProperties" && !m.Value.IsBool() && len(m.Value.Members) > 0 // {} allows any
		if restricts || !slices.Contains(formRoot, m.Name) && !strings.HasPrefix(m.Name, jsondoc.ExtensionPrefix) {
			f.unsupported(walk.Location{Owner: f.owner}, m.Name, nil)
		}
	}
	made := &flatForm{values: values}
	required := schema.Get("required").Texts()
	for _, name := range required {
		if schema.Get("properties").Get(name) == nil {
			f.refuse(walk.Location{Owner: f.owner}, fmt.Sprintf("the required %q is not a property", name), "add the property, or drop the name")
		}
	}
	for _, p := range schema.Get("properties").Members {
		field := formField{name: p.Name, at: walk.Location{Owner: f.owner, Path: p.Name}, required: slices.Contains(required, p.Name)}
		if field.at.Owner == nil && isHidden(p.Name) {
			f.refuse(walk.Location{}, fmt.Sprintf("the name of the field %s has a control character", show.Clip(strconv.QuoteToASCII(p.Name), show.MaxText)), "write a name without it, and the text for the user in title")
		} else if member(&field) {
			made.fields = append(made.fields, f.field(field, p.Value))
		}
	}
	if len(f.errs) > 0 {
		return nil, f.errs
	}
	return made, nil
}

// formRoot contains the keywords that are supported at the root of a form's schema.
var formRoot = []string{"$schema", "type", "title", "description", "properties", "required", "additionalProperties", "examples", "deprecated", "$comment"}

// formBounds maps the type of a field to the bounds that a form supports for it.
var formBounds = map[string][]string{
	"string":  {"format", "minLength", "maxLength"},
	"integer": {"minimum", "maximum"},
	"number":  {"minimum", "maximum"},
	"boolean": {},
	"array":   {"minItems", "maxItems"},
}

// formNotes contains the keywords that a form sets itself or omits: the type, annotations, and uniqueItems, because no
// choice can be made twice.
var formNotes = append(jsondoc.NamesOf(func(k jsondoc.Keyword) bool {
	return jsondoc.IsAnnotation(k.Name) && k.Role == jsondoc.Annotation && k.About == 0
}), "type", "uniqueItems")

// formChoices contains the keywords that choose reads.
var formChoices = []string{"enum", "enumNames", "const", "oneOf", "anyOf"}

// formKnown contains the keywords of JSON Schema, which are not misspelt.
var formKnown = jsondoc.NamesOf(func(jsondoc.Keyword) bool { return true })

// formFormats contains the formats that forms support.
var formFormats = []string{"date", "date-time", "email", "uri"}

// A formMaker makes fields and collects what forms do not support.
type formMaker struct {
	owner      reflect.Type
	settings   []tag.Setting // of the current member
	titles     []string
	ownPattern bool // the pattern of the member comes from its type, whose own error explains a violation
	errs       TypeErrors
}

func (f *formMaker) refuse(at walk.Location, reason, fix string) {
	f.errs = append(f.errs, formError(at, reason, fix))
}

// formError returns a mistake in a form; a location without an owner is in a schema.
func formError(at walk.Location, reason, fix string) error {
	owner := "schema"
	if at.Owner != nil {
		owner = at.Owner.String()
	}
	return &typeError{Type: owner, Path: at.Path, Field: at.GoPath, Reason: reason, Fix: fix}
}

// field completes a field from the schema of its values.
func (f *formMaker) field(field formField, p *jsondoc.Value) formField {
	field.kind = p.Get("type").Text()
	field.def = p.Get("default")
	bounds, isKnown := formBounds[field.kind]
	if !isKnown {
		f.refuse(field.at, "a form is flat: text, numbers, yes or no, and choices", f.fixForField(field.kind))
		return field
	}
	for _, s := range f.settings {
		if s.Keyword.Name == "enumTitle" {
			f.titles = append(f.titles, jsondoc.Parse(s.Value).Text())
		}
	}
	picked := p
	if field.kind == "array" {
		picked = p.Get("items")
	}
	f.choose(&field, picked)
	f.settings, f.titles = nil, nil
	switch isText := picked.Get("type").Text() == "string" || picked.Get("type") == nil && !field.free; {
	case field.kind != "array":
	case !isText:
		f.refuse(field.at, "a list in a form is a multiple choice of texts", f.fix("use a slice of strings", `write "items":{"type":"string"} with enum`))
	default:
		f.annotated(field.at, picked, formChoices...)
	}
	f.frame(&field, p, bounds)
	return field
}

func (f *formMaker) fixForField(kind string) string {
	if kind == "object" {
		return f.fix("move its fields up, or embed the struct", "move its properties up")
	}
	return f.fix("use a string, a number, a bool, or a slice of strings with enum", "use the type string, number, integer or boolean, or an array of strings with enum")
}

// fix returns what to write in a Go type, or in a schema.
func (f *formMaker) fix(inType, inSchema string) string {
	if f.owner == nil {
		return inSchema
	}
	return inType
}

// choose finds the choices in the schema of one value, which are in one keyword: several allow only what all of them have.
func (f *formMaker) choose(field *formField, p *jsondoc.Value) {
	var in []string
	for _, m := range p.Entries() {
		if m.Name != "enumNames" && slices.Contains(formChoices, m.Name) {
			in = append(in, m.Name)
		}
	}
	if len(in) > 1 {
		f.refuse(field.at, "the choices are in "+strings.Join(in, " and "), "write them in one of these")
		return
	}
	titles := f.titles
	if names := p.Get("enumNames"); names != nil {
		titles, field.named = names.Texts(), true
	}
	values := p.Listed()
	for _, branch := range slices.Concat(p.Get("oneOf").Elements(), p.Get("anyOf").Elements()) {
		values, titles = append(values, branch.Get("const")), append(titles, branch.Get("title").Text())
		f.annotated(field.at, branch, "const")
	}
	if titles != nil && len(titles) != len(values) {
		f.refuse(field.at, fmt.Sprintf("there are %d titles for %d choices", len(titles), len(values)), "write a title for each")
	}
	for i, value := range values {
		if value == nil || value.Kind != rawjson.String {
			f.refuse(field.at, "the choices in a form must be texts", "use a string")
			break
		}
		c := choice{value: value.Text()}
		if problem, fix := choiceProblem(field.choices, c); problem != "" {
			f.refuse(field.at, problem, fix)
			break
		}
		if i < len(titles) {
			c.title = titles[i]
		}
		field.choices = append(field.choices, c)
	}
	field.free = len(values) == 0
}

// choiceProblem returns why a choice cannot be added to others, and what to do; "" if it can be. A value with characters
// that the user cannot see is refused and not cleaned, because the answer must be equal to it.
func choiceProblem(others []choice, c choice) (problem, fix string) {
	quoted := show.Clip(strconv.QuoteToASCII(c.value), show.MaxText)
	switch {
	case isHidden(c.value):
		return "the choice " + quoted + " has a control character", "write a value without it, and the text for the user in the title"
	case slices.ContainsFunc(others, func(o choice) bool { return o.value == c.value }):
		return "the choice " + quoted + " is listed twice", "drop one"
	}
	return "", ""
}

// isHidden reports whether a text has control characters, or characters that reorder the text around them.
func isHidden(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) })
}

// isFinite reports whether a value is not a number beyond those of a float64, which clients use.
func isFinite(v *jsondoc.Value) bool {
	if v.Kind != rawjson.Number {
		return true
	}
	_, err := strconv.ParseFloat(string(v.Raw), 64)
	return err == nil
}

// frame copies the keywords of the field's schema that every form supports.
func (f *formMaker) frame(field *formField, p *jsondoc.Value, bounds []string) {
	for _, m := range p.Members {
		switch {
		case !isFinite(m.Value):
			f.refuse(field.at, m.Name+" is not a number of 64 bits", "write a number that a float64 can represent")
		case slices.Contains(formChoices, m.Name) && m.Value.Kind == rawjson.Array && len(m.Value.Items) == 0:
			f.refuse(field.at, m.Name+" is empty", "list the texts that the user can choose")
		case m.Name == "description" && slices.Contains([]string{walk.TimeDescription, tag.DateDescription}, m.Value.Text()):
		case m.Name == "title" || m.Name == "description":
			field.frame = append(field.frame, m)
		case slices.Contains(formNotes, m.Name) || strings.HasPrefix(m.Name, jsondoc.ExtensionPrefix):
		case m.Name == "pattern" && f.ownPattern:
		case m.Name == "items", !field.free && slices.Contains(formChoices, m.Name):
		case m.Name == "format" && !slices.Contains(formFormats, m.Value.Text()):
			f.refuse(field.at, "a form does not support the format "+m.Value.Text(), "write "+strings.Join(formFormats, ", ")+", or check the answer in the func")
		case slices.Contains(bounds, m.Name):
			field.frame = append(field.frame, m)
		case field.kind == "integer" && (m.Name == "exclusiveMinimum" || m.Name == "exclusiveMaximum"):
			field.frame = append(field.frame, inclusive(m))
		default:
			f.unsupported(field.at, m.Name, bounds)
		}
	}
}

// unsupported reports a keyword that a form does not support, with those that it supports in its place.
func (f *formMaker) unsupported(at walk.Location, keyword string, instead []string) {
	fix := "drop it, and check the answer in the func"
	legal := slices.Concat([]string{"title", "description", "default"}, instead)
	if at.Path == "" {
		legal = formRoot
	}
	if near := suggest.Nearest(keyword, legal); near != "" && !slices.Contains(formKnown, keyword) {
		fix = "did you mean " + near + "?"
	} else if len(instead) > 0 {
		fix += "; supported here are " + strings.Join(legal, ", ")
	}
	f.refuse(at, keyword+" is not supported in a form", fix)
}

// annotated refuses the keywords of a part of a schema, except annotations, the type and those given: a form shows none of
// them.
func (f *formMaker) annotated(at walk.Location, p *jsondoc.Value, except ...string) {
	for _, m := range p.Entries() {
		if !slices.Contains(except, m.Name) && !slices.Contains(formNotes, m.Name) && !strings.HasPrefix(m.Name, jsondoc.ExtensionPrefix) {
			f.unsupported(at, m.Name+" of a choice", nil)
		}
	}
}

// inclusive converts an exclusive bound of integers, which forms lack, to the adjacent inclusive bound.
func inclusive(m jsondoc.Member) jsondoc.Member {
	bound, _ := m.Value.Number()
	one := big.NewRat(1, 1)
	name := "minimum"
	if m.Name == "exclusiveMaximum" {
		name, bound = "maximum", bound.Sub(jsondoc.CeilMultiple(bound, one), one)
	} else {
		bound.Add(jsondoc.FloorMultiple(bound, one), one)
	}
	return jsondoc.Member{Name: name, Value: &jsondoc.Value{Kind: rawjson.Number, Raw: []byte(bound.RatString())}}
}

// WithChoices returns a copy of the form with other choices for one field. It is for choices that are known only at run
// time. Answers are checked against them. f does not change. It returns an error if the form does not have the field,
// the field is neither a string nor a slice of strings, it has a default, or values is empty, has a value twice, or has
// one with a control character. Titles are optional; if there are any, there is one for each value.
func (f *flatForm) WithChoices(field string, values, titles []string) (*flatForm, error) {
	i := slices.IndexFunc(f.fields, func(own formField) bool { return own.name == field })
	switch {
	case i < 0:
		return nil, fmt.Errorf("reflectschema: the form has no field %q", field)
	case f.fields[i].kind != "string" && f.fields[i].kind != "array":
		return nil, fmt.Errorf("reflectschema: the field %q of the form is not a choice of texts", field)
	case f.fields[i].def != nil:
		return nil, fmt.Errorf("reflectschema: the field %q of the form has a default, which may not be among the choices", field)
	case len(values) == 0:
		return nil, fmt.Errorf("reflectschema: the choices for the field %q of the form are empty", field)
	case len(titles) > 0 && len(titles) != len(values):
		return nil, fmt.Errorf("reflectschema: the field %q of the form: there are %d titles for %d choices; pass a title for each, or nil", field, len(titles), len(values))
	}
	var choices []choice
	for n, value := range values {
		c := choice{value: value}
		if problem, _ := choiceProblem(choices, c); problem != "" {
			return nil, fmt.Errorf("reflectschema: the field %q of the form: %s", field, problem)
		}
		if len(titles) > 0 {
			c.title = titles[n]
		}
		choices = append(choices, c)
	}
	made := &flatForm{values: f.values, fields: slices.Clone(f.fields)}
	made.fields[i].choices, made.fields[i].free, made.fields[i].named = choices, false, false
	made.values = choosing(f.values, made.fields[i])
	return made, nil
}

// Decode decodes an answer, a JSON object, into dst, which must be settable and of the type that the form was made
// from. It follows the rules of [Type.Decode], except that members without a field in the form are ignored, and a null
// member counts as absent: the field was left empty. Empty data is read as {}. The error is an [*InvalidError], whose
// text a person can read, or any other error of Type.Decode if dst cannot be used.
func (f *flatForm) Decode(data []byte, dst reflect.Value) error {
	if len(data) == 0 {
		data = []byte("{}")
	}
	if _, err := parseStrict(data); err != nil {
		return err
	}
	doc := jsondoc.Parse(data)
	if doc.Kind == rawjson.Object {
		known, isRaw := jsondoc.Object(), f.values.root().Kind == codec.KindRaw // a Go type sets its defaults itself
		for i := range f.fields {
			field := &f.fields[i]
			value := doc.Get(field.name)
			if (value == nil || value.IsNull()) && isRaw && !field.required {
				value = field.def
			}
			if value != nil && !value.IsNull() {
				known.Members = append(known.Members, jsondoc.Member{Name: field.name, Value: value})
			}
		}
		doc = known
	}
	return f.values.Decode(doc.AppendTo(nil), dst)
}

// choosing returns the type with the values of a field limited to its choices.
func choosing(t *Type, field formField) *Type {
	enum := jsondoc.Array()
	for _, c := range field.choices {
		enum.Items = append(enum.Items, jsondoc.String(c.value))
	}
	doc := t.Schema().doc()
	properties := doc.Get("properties")
	value := properties.Get(field.name)
	if field.kind == "array" {
		value = value.With("items", value.Get("items").Without("oneOf", "anyOf", "const").With("enum", enum))
	} else {
		value = value.Without("oneOf", "anyOf", "const").With("enum", enum)
	}
	doc = doc.With("properties", properties.With(field.name, value))
	narrow := *t
	narrow.given = newSchema(doc.AppendTo(nil))
	return &narrow
}
