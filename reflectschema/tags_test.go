package reflectschema_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/golden"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// A tagCase is a field with its tag. testdata/tags.golden has the schema of its property, or the mistakes.
type tagCase struct {
	goType any // a value of the field's type
	tag    reflect.StructTag
	reason string
}

func TestTags(t *testing.T) {
	t.Parallel()
	file := golden.Open(t, "testdata/tags.golden")
	names := map[string]bool{}
	for _, tt := range tagCases {
		name := fmt.Sprintf("%T `%s`", tt.goType, tt.tag)
		if tt.reason == "" || names[name] {
			t.Errorf("case %q has no reason, or occurs twice", name)
		}
		names[name] = true
		file.Check(t, name, tt.reason+"\n"+tagAnswer(t, tt, reflectschema.DirectionInput))
	}
}

// tagAnswer returns the property of a field, or the mistakes in its tag.
func tagAnswer(t *testing.T, tt tagCase, d reflectschema.Direction) string {
	t.Helper()
	goType := reflect.StructOf([]reflect.StructField{{Name: "F", Type: reflect.TypeOf(tt.goType), Tag: tt.tag}})
	compiled, err := compileOwn(goType, d)
	if err != nil {
		return "refused: " + strings.ReplaceAll(err.Error(), "\n", "\nrefused: ")
	}
	var doc struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	if err := json.Unmarshal(compiled.Schema().JSON(), &doc); err != nil {
		t.Fatal(err)
	}
	presence := "optional"
	if len(doc.Required) == 1 {
		presence = "required"
	}
	for _, property := range doc.Properties {
		return presence + " " + string(property)
	}
	return "no property"
}

// TestTagsOutput tests the tags with another effect in outputs.
func TestTagsOutput(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tagCase
		want string
	}{
		{tagCase{0, `jsonschema:"default=5"`, "an output is always written, so the default is for readers"}, `required {"type":"integer","default":5}`},
		{tagCase{0, `jsonschema:"optional"`, "the schema may promise less than the codec keeps"}, `optional {"type":"integer"}`},
		{tagCase{0, `json:",omitempty" jsonschema:"required"`, "the codec would break the schema"}, "refused: struct{…}.F (F): `required`: an output omits this field when it is empty; drop omitempty, omitzero or the embedded pointer, or drop required"},
		{tagCase{"", `jsonschema:"writeOnly"`, "it would be sent back"}, "refused: struct{…}.F (F): `writeOnly`: an output sends the field back; drop it, or leave the field out of the result with json:\"-\" or a separate type"},
		{tagCase{"", `jsonschema:"readOnly"`, "legal"}, `required {"type":"string","readOnly":true}`},
		{tagCase{new(int), `jsonschema:"nullable"`, "says what a pointer in an output is anyway"}, `required {"type":["integer","null"]}`},
		{tagCase{new(string), `jsonschema:"enum=a"`, "null must be in the enum where it is legal"}, `required {"type":["string","null"],"enum":["a",null]}`},
		{tagCase{[]*string{}, `jsonschema:"enum=a"`, "and in that of elements"}, `required {"type":"array","items":{"type":["string","null"],"enum":["a",null]}}`},
		{tagCase{new(string), `jsonschema:"const=a" doc:"d"`, "a const leaves no room for null"}, `required {"description":"d","anyOf":[{"type":"string","const":"a"},{"type":"null"}]}`},
	} {
		if got := tagAnswer(t, tt.tagCase, reflectschema.DirectionOutput); got != tt.want {
			t.Errorf("%T `%s`: %s\ngot  %s\nwant %s", tt.goType, tt.tag, tt.reason, got, tt.want)
		}
	}
}

// TestTypeTags tests the tags of a blank field, which apply to the struct.
func TestTypeTags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reason string
		tag    reflect.StructTag
		goType reflect.Type
		want   string
	}{
		{"title and prose", `doc:"About it, in full" jsonschema:"title=T,deprecated"`, reflect.TypeFor[struct{}](), `{"title":"T","description":"About it, in full","type":"object","properties":{},"additionalProperties":false,"deprecated":true}`},
		{"open", `jsonschema:"additionalProperties=true"`, reflect.TypeFor[struct{}](), `{"type":"object","properties":{},"additionalProperties":{}}`},
		{"closed, the default", `jsonschema:"additionalProperties=false"`, reflect.TypeFor[struct{}](), `{"type":"object","properties":{},"additionalProperties":false}`},
		{"neither", `jsonschema:"additionalProperties=yes"`, reflect.TypeFor[struct{}](), "struct{…}._: `additionalProperties=yes`: \"yes\" is neither true nor false; write true or false"},
		{"mcp is for another package", `mcp:"name=x,readOnly"`, reflect.TypeFor[struct{}](), `{"type":"object","properties":{},"additionalProperties":false}`},
		{"a keyword of fields", `jsonschema:"minLength=1"`, reflect.TypeFor[struct{}](), "struct{…}._: `minLength=1`: minLength describes a field, not a struct; write it on the field"},
		{"an example of the struct", `jsonschema:"example={}"`, reflect.TypeFor[struct{}](), `{"type":"object","properties":{},"additionalProperties":false,"examples":[{}]}`},
		{"not struct{}", `doc:"lost"`, reflect.TypeFor[int](), "struct{…}._: `doc:\"lost\"`: a blank field that describes its struct is of type struct{}, not int; write _ struct{}"},
		{"malformed", `doc:lost`, reflect.TypeFor[struct{}](), "struct{…}._: `doc:lost`: malformed struct tag: Go reads nothing from \"doc:lost\" on; write key:\"value\" pairs with one space between them, and none after the colon"},
	} {
		goType := reflect.StructOf([]reflect.StructField{{Name: "_", PkgPath: "x", Type: tt.goType, Tag: tt.tag}})
		if got := answer(goType, reflectschema.DirectionInput); got != tt.want {
			t.Errorf("`%s`: %s\ngot  %s\nwant %s", tt.tag, tt.reason, got, tt.want)
		}
	}
}

// TestAllMistakes checks that all mistakes of a struct are reported, in the order of the fields.
func TestAllMistakes(t *testing.T) {
	t.Parallel()
	_, err := reflectschema.Compile(reflect.TypeOf(tagged(
		`jsonschema:"minimum=abc,maxLength=3,nosuch=1" doc:""`,
		`json:"b,omitEmpty" jsonschema:"minimum=5,maximum=3"`,
		`jsonschema:"default=1,minimum=2,enum=7"`,
	)), reflectschema.DirectionInput)
	if err == nil {
		t.Fatal("no error")
	}
	var fields []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		field, _, _ := strings.Cut(strings.TrimPrefix(line, "struct{…}."), " ")
		fields = append(fields, field)
	}
	if got := strings.Join(fields, ""); got != "AAAABBC" {
		t.Errorf("got mistakes at %s, want four at A, two at B and one at C:\n%v", got, err)
	}
}
