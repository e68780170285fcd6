package reflectschema_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

type (
	listedWord   string
	listedNumber int
	listedText   string
)

var (
	_ = reflectschema.Enum[listedWord]("open", "closed")
	_ = reflectschema.Enum[listedNumber](1, 2, 3)
	_ = reflectschema.TypeSchema[listedText](`{"type":"string","enum":["a","bb"]}`)
)

// TestListedValues: a tag that none of the registered values meets is refused, on elements as well, and one that
// some of them meet narrows the list.
func TestListedValues(t *testing.T) {
	t.Parallel()
	const noWord, noNumber, noText = "no value registered for reflectschema_test.listedWord meets it",
		"no value registered for reflectschema_test.listedNumber meets it", "no value registered for reflectschema_test.listedText meets it"
	for _, tt := range []struct {
		of      any
		tag     string
		refused string
	}{
		{listedWord(""), "maxLength=2", noWord},
		{listedWord(""), "pattern=^z$", noWord},
		{listedWord(""), "format=email", noWord},
		{listedWord(""), "minLength=5,pattern=^o", noWord}, // each alone fits one
		{[]listedWord{}, "maxLength=2", noWord},
		{(*listedWord)(nil), "maxLength=2", noWord},
		{listedNumber(0), "minimum=4", noNumber},
		{listedNumber(0), "multipleOf=5", noNumber},
		{[2]listedNumber{}, "exclusiveMaximum=1", noNumber},
		{listedText(""), "minLength=3", noText},
		{listedWord(""), "maxLength=5", ""},
		{listedWord(""), "pattern=^o,minLength=2", ""},
		{[]listedWord{}, "minLength=6,minItems=1", ""},
		{listedNumber(0), "minimum=2", ""},
		{listedText(""), "minLength=2", ""},
		{listedNumber(0), "minimum=2,nullable", "nullable"},
	} {
		for _, d := range []reflectschema.Direction{reflectschema.Input, reflectschema.Output} {
			st := reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeOf(tt.of), Tag: reflect.StructTag(`json:"a" jsonschema:"` + tt.tag + `"`)}})
			_, err := reflectschema.Compile(st, reflectschema.Options{Direction: d})
			if (err == nil) != (tt.refused == "") || err != nil && !strings.Contains(err.Error(), tt.refused) {
				t.Errorf("%T with %s, direction %v: got %v, want %q", tt.of, tt.tag, d, err, tt.refused)
			}
		}
	}
}
