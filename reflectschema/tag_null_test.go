package reflectschema_test

import (
	"database/sql"
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// TestTagNull checks that null in a tag is not the text "null" if the field is nullable.
func TestTagNull(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		value        any
		tag          reflect.StructTag
		want, reason string
	}{
		{new(string), `jsonschema:"nullable,default=null"`, "`default=null`: the default would be the text \"null\"; drop it: *string is nil when it is absent", "a pointer"},
		{new(string), `jsonschema:"default=null"`, "*string is nil when it is absent", "nullable or not"},
		{new(Status), `jsonschema:"nullable,default=null"`, "the default would be the text", "a registered type"},
		{new(sql.NullString), `jsonschema:"nullable,default=null"`, "drop it", "another one"},
		{[]byte{}, `jsonschema:"nullable,default=null"`, "write optional instead: []uint8 is nil when it is absent", "bytes"},
		{[]string{}, `jsonschema:"nullable,default=null"`, "the default would be the text \"null\"; write optional instead", "an element of a list"},
		{new(string), `jsonschema:"nullable,enum=a,enum=null"`, "`enum=null`: the enum would be the text \"null\"; drop it: null is allowed beside every other keyword", "one of several"},
		{new(string), `jsonschema:"nullable,example=null"`, "`example=null`: the example would be", "a value to show"},
		{new(int), `jsonschema:"nullable,default=null"`, `"null" is not a JSON number`, "no text"},
		{"", `jsonschema:"default=null"`, "", "the text, as the field is not nullable"},
		{[]string{}, `jsonschema:"enum=null,enum=a"`, "", "so have its elements"},
		{map[string]int{}, `jsonschema:"nullable,default=null"`, "", "JSON"},
	} {
		_, err := reflectschema.Compile(reflect.StructOf([]reflect.StructField{{Name: "F", Type: reflect.TypeOf(tt.value), Tag: tt.tag}}), reflectschema.DirectionInput)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%T `%s`: %v\nwant %q: %s", tt.value, tt.tag, err, tt.want, tt.reason)
		}
	}
}
