package mcptool_test

import (
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/testing/fixture"
	"github.com/mcptool-go/mcptool/mcptool"
)

// badFields are values that no block may have in the field with this name. A text may hold what is not UTF-8, if it is
// made UTF-8.
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
	"Blob":        nil, // any bytes will do
}

// TestContentChecked goes over every type of content: what fixture.Content has of it is good, and a value in any field that
// breaks the rule of the field is refused.
func TestContentChecked(t *testing.T) {
	t.Parallel()
	for _, block := range fixture.Content() {
		if _, err := answering(t, &mcptool.Result{Content: []mcptool.Content{block}}).Call(t.Context(), nil); err != nil {
			t.Errorf("%T is refused: %v", block, err)
		}
		for i := range reflect.TypeOf(block).NumField() {
			name := reflect.TypeOf(block).Field(i).Name
			bad, known := badFields[name]
			if !known {
				t.Errorf("%T: there is no rule for a field %s in badFields", block, name)
			}
			if bad != nil {
				wantRefused(t, block, i, bad)
			}
			if _, isMedia := reflect.TypeOf(block).FieldByName("Data"); isMedia && name == "MIMEType" {
				wantRefused(t, block, i, "text/plain") // which is none of its family
			}
		}
	}
}

// wantRefused fails the test if a result is sent with a block in which a field has a bad value.
func wantRefused(t *testing.T, block mcptool.Content, field int, bad any) {
	t.Helper()
	changed := reflect.New(reflect.TypeOf(block)).Elem()
	changed.Set(reflect.ValueOf(block))
	changed.Field(field).Set(reflect.ValueOf(bad))
	content, _ := changed.Interface().(mcptool.Content)
	result, err := answering(t, &mcptool.Result{Content: []mcptool.Content{content}}).Call(t.Context(), nil)
	if err == nil && !isRepaired(result.Content[0], field) {
		t.Errorf("%T: %s is %#v and is not refused", block, reflect.TypeOf(block).Field(field).Name, bad)
	}
}

// isRepaired reports whether a field of a block is text in UTF-8.
func isRepaired(block mcptool.Content, field int) bool {
	text := reflect.ValueOf(block).Field(field)
	return text.Kind() == reflect.String && reflect.TypeOf(block).Field(field).Name == "Text" && utf8.ValidString(text.String())
}
