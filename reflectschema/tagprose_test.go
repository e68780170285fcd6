package reflectschema_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// TestTagProse checks which tags are prose, and which are keywords not written as keyword=value, which would be lost in
// a description.
func TestTagProse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ tag, want string }{
		{"minimum: 3", "write minimum=3;"},
		{"minimum:3", "write minimum=3;"},
		{"minimum 3", "write minimum=3;"},
		{"minimum = 3", "write minimum=3;"},
		{"minimum: -1.5e3", "write minimum=-1.5e3;"},
		{"minLength 3", "write minLength=3;"},
		{"MinLength: 3", "write minLength=3;"},
		{"minLenght: 3", "write minLength=3;"},
		{"minLength: 3, maxLength: 5", "write minLength=3,maxLength=5;"},
		{"minimum: 1; maximum: 9", "write minimum=1,maximum=9;"},
		{"minimum: 1, maximum=9", "write minimum=1,maximum=9;"},
		{"minimum: 1, required", "write minimum=1,required;"},
		{"minLength: 3, the name of the user", "write minLength=3;"},
		{"The name of the user, minLength: 3", "write minLength=3;"},
		{"required: true", "write required;"},
		{"required true", "write required;"},
		{"required: false", "write nothing for required;"},
		{"uniqueItems: true", "write uniqueItems;"},
		{"enum: a|b", "write enum=a,enum=b;"},
		{"enum: a, b", "write enum=a,enum=b;"},
		{`enum: ["a", "b"]`, "write enum=a,enum=b;"},
		{"enum a|b", "write enum=a,enum=b;"},
		{"format: email", "write format=email;"},
		{"format email", "write format=email;"},
		{"pattern: ^[a-z]+$", "write pattern=^[a-z]+$;"},
		{"default: 5", "write default=5;"},
		{"default 5", "write default=5;"},
		{"example: Lisbon", "write example=Lisbon;"},
		{"multipleOf 5", "write multipleOf=5;"},
		{"required minLength: 3", "write minLength=3;"},
		{"The name (minLength: 3)", "write minLength=3;"},

		{"城市\uff1a例如 Lisbon", ""},
		{"family 👩\u200d👧 name", ""},
		{"a price > 3", ""},
		{"readonly mode", ""},
		{"Readonly mode", ""},
		{"unique name", ""},
		{"{placeholder} in the text", ""},
		{"{a}", ""},
		{"minimum: the smallest price", ""},
		{"minimum 3 characters", ""},
		{"minimum: 3, or more if you can", ""},
		{"minimum price", ""},
		{"maximum price: 100", ""},
		{"required by law", ""},
		{"required: true for members", ""},
		{"format of the date, as in ISO 8601", ""},
		{"format: as in ISO 8601", ""},
		{"pattern to look for", ""},
		{"pattern: see the manual", ""},
		{"default is 5", ""},
		{"default value", ""},
		{"default: the current user", ""},
		{"example of what is meant", ""},
		{"title of the book", ""},
		{"Title: the book's", ""},
		{"description of the item, in a sentence", ""},
		{"enum values come from the list", ""},
		{"min and max of the range", ""},
		{"minLength of the words to look for", ""},
		{"the number of items: 3", ""},
		{"City, e.g. Lisbon; optional", ""},
		{"note: 3", ""},
	} {
		goType := reflect.StructOf([]reflect.StructField{{Name: "F", Type: reflect.TypeFor[string](), Tag: reflect.StructTag(`jsonschema:"` + strings.ReplaceAll(tt.tag, `"`, `\"`) + `"`)}})
		_, err := reflectschema.Compile(goType, reflectschema.DirectionInput)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v\nwant %q", tt.tag, err, tt.want)
		}
	}
}
