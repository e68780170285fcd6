package mcptool_test

import (
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/testing/fixture"
	"github.com/mcptool-go/mcptool/mcptool"
)

// badFields has an invalid value for each field name. A text field may be invalid UTF-8 if it is repaired.
var badFields = map[string]any{
	"Text":        "\xff",
	"Data":        []byte{},
	"MIMEType":    "csv",
	"URI":         "/a",
	"Name":        "\xff",
	"Title":       "\xff",
	"Description": "\xff",
	"Size":        new(int64(-1)),
	"Icons":       []mcptool.Icon{{Src: "http://example.com/a"}},
	"Annotations": &mcptool.Annotations{Priority: new(2.0)},
	"Meta":        map[string]any{"a b": 1},
	"Blob":        nil, // any bytes are valid
	"Verbatim":    nil, // both values are valid
}

// TestContentChecked checks for every content type that the values of fixture.Content are accepted, and that an invalid
// value in any field is refused.
func TestContentChecked(t *testing.T) {
	t.Parallel()
	for _, block := range fixture.Content() {
		if _, err := answering(t, &mcptool.Result{Content: []mcptool.Content{block}}).Call(t.Context(), nil); err != nil {
			t.Errorf("%T is refused: %v", block, err)
		}
		for _, field := range fieldsOf(reflect.TypeOf(block)) {
			bad, known := badFields[field.Name]
			if !known {
				t.Errorf("%T: badFields lacks the field %s", block, field.Name)
			}
			if bad != nil {
				wantRefused(t, block, field, bad)
			}
			if _, isMedia := reflect.TypeOf(block).FieldByName("Data"); isMedia && field.Name == "MIMEType" {
				wantRefused(t, block, field, "text/plain") // another family
			}
		}
	}
}

// fieldsOf returns the fields of a content type, including the fields of embedded contents.
func fieldsOf(t reflect.Type) (fields []reflect.StructField) {
	for i := range t.NumField() {
		field := t.Field(i)
		if field.Type != reflect.TypeFor[mcptool.ResourceContents]() {
			fields = append(fields, field)
			continue
		}
		for _, inner := range fieldsOf(field.Type) {
			inner.Index = append([]int{i}, inner.Index...)
			fields = append(fields, inner)
		}
	}
	return fields
}

// wantRefused checks that a result with an invalid value in a field is refused.
func wantRefused(t *testing.T, block mcptool.Content, field reflect.StructField, bad any) {
	t.Helper()
	changed := reflect.New(reflect.TypeOf(block)).Elem()
	changed.Set(reflect.ValueOf(block))
	changed.FieldByIndex(field.Index).Set(reflect.ValueOf(bad))
	content, _ := changed.Interface().(mcptool.Content)
	result, err := answering(t, &mcptool.Result{Content: []mcptool.Content{content}}).Call(t.Context(), nil)
	if err == nil && !isRepaired(result.Content[0], field) {
		t.Errorf("%T: %s = %#v is not refused", block, field.Name, bad)
	}
}

// isRepaired reports whether invalid UTF-8 in the field is repaired.
func isRepaired(block mcptool.Content, field reflect.StructField) bool {
	text := reflect.ValueOf(block).FieldByIndex(field.Index)
	return text.Kind() == reflect.String && field.Name == "Text" && utf8.ValidString(text.String())
}
