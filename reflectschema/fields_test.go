package reflectschema_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// fieldsOf returns a struct with these fields.
func fieldsOf(fields ...reflect.StructField) reflect.Type { return reflect.StructOf(fields) }

func field(name string, of any, tag reflect.StructTag) reflect.StructField {
	f := reflect.StructField{Name: name, Type: reflect.TypeOf(of), Tag: tag}
	if name[0] >= 'a' {
		f.PkgPath = "x"
	}
	return f
}

func embedded(of any, tag reflect.StructTag) reflect.StructField {
	return reflect.StructField{Name: reflect.TypeOf(of).Name(), Type: reflect.TypeOf(of), Tag: tag, Anonymous: true}
}

type myTime time.Time

// Holder embeds a struct of unexported type with a name.
type Holder struct {
	hidden `json:"h"`
}

// UnreadableKey can be a map key, but cannot be decoded.
type UnreadableKey int

func (UnreadableKey) MarshalText() ([]byte, error) { return []byte("k"), nil }

// TestFieldMistakes tests mistakes that involve more than one tag.
func TestFieldMistakes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, reason string
		goType       reflect.Type
		want         string // expected in the error; "" for no error
	}{
		{"unexported with prose", "the tag has no effect", fieldsOf(field("a", 0, `doc:"A"`)), "is not exported, so it is not in the JSON; export the field"},
		{"unexported with json", "the author expects the field in the JSON", fieldsOf(field("a", 0, `json:"a"`), field("B", 0, "")), "is not exported, so it is not in the JSON; export the field"},
		{"unexported and left out", "the tag omits the field", fieldsOf(field("a", 0, `json:"-"`), field("B", 0, "")), ""},
		{"max of a list of numbers", "for the list or its elements", fieldsOf(field("A", []int{}, `jsonschema:"max=3"`)), `unknown keyword "max"; write maxItems, or maximum for the elements`},
		{"max of a list of texts", "elements have no maximum", fieldsOf(field("A", []string{}, `jsonschema:"max=3"`)), `unknown keyword "max"; write maxItems`},
		{"min of a text", "a text has a length", fieldsOf(field("A", "", `jsonschema:"min=3"`)), `unknown keyword "min"; write minLength`},
		{"max of a map", "a map has properties", fieldsOf(field("A", map[string]int{}, `jsonschema:"max=3"`)), `unknown keyword "max"; write maxProperties`},
		{"max of a number", "the most similar keyword fits", fieldsOf(field("A", 0, `jsonschema:"max=3"`)), `unknown keyword "max"; write maximum`},
		{"enum with bars", "values are separate keywords", fieldsOf(field("A", "", `jsonschema:"enum=a|b|c"`)), "write enum=a,enum=b,enum=c, or const for the one value"},
		{"enum of bars", "operators", fieldsOf(field("A", "", `jsonschema:"enum=|,enum=||"`)), ""},
		{"enum with a bar and another value", "the author knows how to separate values", fieldsOf(field("A", "", `jsonschema:"enum=a|b,enum=c"`)), ""},
		{"const with bars", "one value", fieldsOf(field("A", "", `jsonschema:"const=a|b"`)), ""},
		{"omitempty on a struct in an input", "means optional", fieldsOf(field("A", time.Time{}, `json:"a,omitempty"`)), ""},
		{"unexported malformed", "the field is not in the JSON", fieldsOf(field("a", 0, `json:a`), field("B", 0, "")), ""},
		{"tag on embedding", "an embedded struct is not a property", fieldsOf(embedded(Base{}, `jsonschema:"deprecated"`)), "an embedded struct is not a JSON member"},
		{"inline on embedding", "redundant", fieldsOf(embedded(Base{}, `json:",inline"`)), ""},
		{"inline on a field", "an option of another encoding", fieldsOf(field("A", Base{}, `json:",inline"`)), `no option "inline" and ignores it; embed the struct without a name instead`},
		{"required as option", "a keyword", fieldsOf(field("A", 0, `json:"a,required"`)), `write jsonschema:"required"`},
		{"unknown option", "no similar option", fieldsOf(field("A", 0, `json:"a,case:ignore"`)), "the options are omitempty, omitzero, string"},
		{"blank in options", "encoding/json would ignore it", fieldsOf(field("A", 0, `json:"a, omitempty"`)), "write omitempty"},
		{"no options", "a trailing comma is allowed", fieldsOf(field("A", 0, `json:"a,"`)), ""},
		{"json twice", "Go uses the first", fieldsOf(field("A", 0, `json:"a" json:"b"`)), "the key json is given twice"},
		{"named embedding of unexported type", "the member cannot be set", reflect.TypeFor[Holder](), "cannot be a separate member; export the type"},
		{"quoted struct", "encoding/json would ignore it", fieldsOf(field("A", Base{}, `json:",string"`)), "has no effect on"},
		{"pointer keys", "cannot be read back", reflect.TypeFor[map[*int]int](), "the keys of map[*int]int cannot be read back"},
		{"half a key", "an input uses its kind", reflect.TypeFor[map[UnreadableKey]int](), ""},
		{"nothing exported", "a type over time.Time does not have its methods", reflect.TypeFor[struct{ T myTime }](), "myTime has no exported field, so its JSON would always be {}"},
		{"empty struct", "{} is intended", reflect.TypeFor[struct{ T struct{} }](), ""},
		{"two blank fields", "one struct, two descriptions", reflect.TypeFor[struct {
			_ struct{} `doc:"a"`
			_ struct{} `doc:"b"`
		}](), "the key doc is given twice"},
		{"prose beside keywords", "ambiguous", fieldsOf(field("A", "", `jsonschema:"city,minLength=1"`)), `unknown keyword "city"`},
		{"one word of prose", "not similar to a keyword", fieldsOf(field("A", "", `jsonschema:"City"`)), ""},
		{"keyword first, prose after", "the comma ends the keyword", fieldsOf(field("A", "", `jsonschema:"required, the city"`)), `unknown keyword " the city"`},
		{"prose after a keyword's name", "a sentence", fieldsOf(field("A", "", `jsonschema:"required city name"`)), ""},
		{"empty title", "no text", fieldsOf(field("A", "", `jsonschema:"title= "`)), "title has no value"},
		{"empty description", "no text", fieldsOf(field("A", "", `jsonschema:"description="`)), "description has no value"},
		{"bare key of prose", "a tag of huma", fieldsOf(field("A", "", `description:"a, b"`)), `write doc:"a, b"`},
		{"bare key with a comma", "the fix can be copied", fieldsOf(field("A", "", `pattern:"a{1,2}"`)), `write jsonschema:"pattern=a{1\\,2}"`},
		{"float32 bound", "beyond the type", fieldsOf(field("A", float32(0), `jsonschema:"maximum=1e39"`)), "stay within the range of float32"},
		{"long number", "too long for validation", fieldsOf(field("A", 0.0, reflect.StructTag(`jsonschema:"maximum=`+strings.Repeat("1", 101)+`"`))), "is not a JSON number"},
		{"any with a keyword", "may not be a string", fieldsOf(reflect.StructField{Name: "A", Type: reflect.TypeFor[any](), Tag: `jsonschema:"minLength=1"`}), "minLength is for strings, bytes, not for interface {}"},
		{"any nullable", "already nullable", fieldsOf(reflect.StructField{Name: "A", Type: reflect.TypeFor[*any](), Tag: `jsonschema:"nullable"`}), "may be null anyway"},
		{"second element", "every element is validated", fieldsOf(field("A", []int{}, `jsonschema:"default=1,default=b"`)), `"b" is not a JSON number`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := compileOwn(tt.goType, reflectschema.DirectionInput)
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("%s: got error %v", tt.reason, err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("%s: got error %v, want %q", tt.reason, err, tt.want)
			}
		})
	}
}

type (
	zeroByValue   struct{ N int }
	zeroByPointer struct{ N int }
	zeros         struct {
		A zeroByValue     `json:",omitzero"`
		B zeroByPointer   `json:",omitzero"`
		C *zeroByValue    `json:",omitzero"`
		D *zeroByPointer  `json:",omitzero"`
		E struct{ N int } `json:",omitzero"`
	}
)

func (z zeroByValue) IsZero() bool    { return z.N == 7 }
func (z *zeroByPointer) IsZero() bool { return z.N == 7 }

// TestOmitZero checks that omitzero calls the same IsZero methods as encoding/json.
func TestOmitZero(t *testing.T) {
	t.Parallel()
	compiled, err := reflectschema.Compile(reflect.TypeFor[zeros](), reflectschema.DirectionOutput)
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []zeros{
		{},
		{A: zeroByValue{7}, B: zeroByPointer{7}},
		{C: &zeroByValue{7}, D: &zeroByPointer{7}},
		{C: &zeroByValue{}, D: &zeroByPointer{}, E: struct{ N int }{1}},
	} {
		want, err := json.Marshal(&value)
		if err != nil {
			t.Fatal(err)
		}
		v := reflect.ValueOf(&value).Elem()
		if got, err := compiled.AppendEncode(nil, v); err != nil || string(got) != string(want) {
			t.Errorf("AppendEncode = %s, %v; encoding/json: %s", got, err, want)
		}
	}
}

// Shaped has a schema with boolean subschemas.
type Shaped struct{}

// TestBooleanSchemas checks that boolean subschemas of a method are written as objects, which all clients accept.
func TestBooleanSchemas(t *testing.T) {
	t.Parallel()
	compiled, err := reflectschema.Compile(reflect.TypeFor[Shaped](), reflectschema.DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","properties":{"all":{},"none":{"not":{}}},"additionalProperties":false}`
	if got := string(compiled.Schema().JSON()); got != want {
		t.Errorf("schema = %s, want %s", got, want)
	}
}

// JSONSchema has a boolean subschema for every keyword.
func (Shaped) JSONSchema() *jsonschema.Schema {
	properties := jsonschema.NewProperties()
	properties.Set("all", jsonschema.TrueSchema)
	properties.Set("none", jsonschema.FalseSchema)
	return &jsonschema.Schema{
		Version: jsonschema.Version, ID: "https://example.com/shaped",
		Type: "object", Properties: properties, AdditionalProperties: jsonschema.FalseSchema,
	}
}
