package reflectschema

import (
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
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
	doc := jsondoc.Parse(data)
	if doc.Kind == jsontext.KindBeginObject {
		known := object()
		for i := range f.fields {
			if value := doc.Get(f.fields[i].name); value != nil && !value.IsNull() {
				known.Members = append(known.Members, jsondoc.Member{Name: f.fields[i].name, Value: value})
			}
		}
		doc = known
	}
	return f.values.Decode(doc.AppendTo(nil), dst)
}

// choosing returns the type with the values of a field narrowed to its choices.
func (t *Type) choosing(field formField) *Type {
	enum := array()
	for _, c := range field.choices {
		enum.Items = append(enum.Items, jsondoc.String(c.Value))
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
