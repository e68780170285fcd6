package reflectschema

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// Schema returns the form as compact JSON Schema, in one of the subsets that clients support for forms. A plain form has
// strings, numbers, booleans and the choice of one string, with titles in enumNames; only booleans have a default. A rich
// one also has the choice of several strings, titles in oneOf and anyOf, and a default for every field. Other defaults are
// omitted; Decode still fills them in. The error is a [TypeErrors] if the form has a list without choices, or in a plain
// form a choice of several strings.
func (f *flatForm) Schema(rich bool) (json.RawMessage, error) {
	var errs TypeErrors
	properties := jsondoc.Object()
	required := jsondoc.Array()
	for i := range f.fields {
		field := &f.fields[i]
		if reason, fix := field.missing(rich); reason != "" {
			errs = append(errs, formError(field.at, reason, fix))
			continue
		}
		properties = properties.With(field.name, field.schema(rich))
		if field.required {
			required.Items = append(required.Items, jsondoc.String(field.name))
		}
	}
	if len(errs) > 0 {
		return nil, bounded(errs)
	}
	doc := jsondoc.Object(jsondoc.Member{Name: "type", Value: jsondoc.String("object")}, jsondoc.Member{Name: "properties", Value: properties})
	if len(required.Items) > 0 {
		doc = doc.With("required", required)
	}
	return doc.AppendTo(nil), nil
}

// missing returns the reason why a form of this subset cannot have the field, or "".
func (field *formField) missing(rich bool) (reason, fix string) {
	switch {
	case field.kind != "array":
		return "", ""
	case field.free:
		return "a list in a form is a multiple choice of texts, but it has no choices", "list the texts with enum, or pass choices with the question"
	case !rich:
		return "the client does not support multiple choice in forms", "ask for one text, or with a bool for each"
	default:
		return "", ""
	}
}

// schema returns the schema of the field in a subset.
func (field *formField) schema(rich bool) *jsondoc.Value {
	doc := jsondoc.Object(jsondoc.Member{Name: "type", Value: jsondoc.String(field.kind)})
	doc.Members = append(doc.Members, field.frame...)
	switch {
	case field.free:
	case field.kind == "array":
		items := jsondoc.Object()
		if !field.titled() {
			items = items.With("type", jsondoc.String("string"))
		}
		doc = doc.With("items", field.pick(items, "anyOf", rich))
	default:
		doc = field.pick(doc, "oneOf", rich)
	}
	if field.def != nil && (rich || field.kind == "boolean") {
		doc = doc.With("default", field.def)
	}
	return doc
}

// titled reports whether a choice has a title.
func (field *formField) titled() bool {
	return slices.ContainsFunc(field.choices, func(c choice) bool { return c.title != "" })
}

// pick adds the choices to a schema: under keyword if they have titles and the subset supports that.
func (field *formField) pick(doc *jsondoc.Value, keyword string, rich bool) *jsondoc.Value {
	values, titles, branches := jsondoc.Array(), jsondoc.Array(), jsondoc.Array()
	for _, c := range field.choices {
		title := cmp.Or(c.title, c.value)
		values.Items = append(values.Items, jsondoc.String(c.value))
		titles.Items = append(titles.Items, jsondoc.String(title))
		branches.Items = append(branches.Items, jsondoc.Object(jsondoc.Member{Name: "const", Value: jsondoc.String(c.value)}, jsondoc.Member{Name: "title", Value: jsondoc.String(title)}))
	}
	switch {
	case !field.titled():
		return doc.With("enum", values)
	case !rich || field.named && field.kind == "string":
		return doc.With("enum", values).With("enumNames", titles)
	default:
		return doc.With(keyword, branches)
	}
}
