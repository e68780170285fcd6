package reflectschema

import (
	"reflect"

	"github.com/go-json-experiment/json/jsontext"
)

// Decode reads what was filled in, a JSON object, into dst, which must be settable and of
// the type the form was made from. The rules are those of [Type.Decode], with two
// allowances for programs that show forms: members the form did not ask for are
// dropped, and null stands for a field that was left empty. So does no data at all for
// an empty form. The error is an [*InvalidError], whose text is fit for a person.
func (f *Form) Decode(data []byte, dst reflect.Value) error {
	if len(data) == 0 {
		data = []byte("{}")
	}
	if _, err := parseStrict(data); err != nil {
		return err
	}
	doc := parseDocument(data)
	if doc.kind == jsontext.KindBeginObject {
		known := object()
		for i := range f.fields {
			if value := doc.get(f.fields[i].name); value != nil && !value.isNull() {
				known.members = append(known.members, member{f.fields[i].name, value})
			}
		}
		doc = known
	}
	return f.values.Decode(doc.appendTo(nil), dst)
}

// choosing returns the type with the values of a field narrowed to its choices.
func (t *Type) choosing(field formField) *Type {
	enum := array()
	for _, c := range field.choices {
		enum.items = append(enum.items, stringDocument(c.Value))
	}
	doc := t.Schema().doc()
	properties := doc.get("properties")
	value := properties.get(field.name)
	if field.kind == "array" {
		value = value.with("items", value.get("items").without("oneOf", "anyOf", "const").with("enum", enum))
	} else {
		value = value.without("oneOf", "anyOf", "const").with("enum", enum)
	}
	doc = doc.with("properties", properties.with(field.name, value))
	narrow := *t
	narrow.given = newSchema(doc.appendTo(nil))
	return &narrow
}
