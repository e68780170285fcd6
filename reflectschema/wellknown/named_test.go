package wellknown_test

import (
	"cmp"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/wellknown"
)

// opaque is a string in JSON. Its zero value is the empty string.
type opaque struct{ json string }

func (o opaque) MarshalJSON() ([]byte, error) { return []byte(cmp.Or(o.json, `""`)), nil }

func (o *opaque) UnmarshalJSON(data []byte) error {
	o.json = string(data)
	return nil
}

// nullable encodes its zero value as null.
type nullable struct{ opaque }

func (n nullable) MarshalJSON() ([]byte, error) { return []byte(cmp.Or(n.json, "null")), nil }

// openAPI has an OpenAPI method.
type openAPI struct{ opaque }

func (openAPI) OpenAPISchemaType() []string        { return []string{"string"} }
func (o openAPI) MarshalJSON() ([]byte, error)     { return []byte(cmp.Or(o.json, `"0s"`)), nil }
func (o *openAPI) UnmarshalJSON(data []byte) error { return o.opaque.UnmarshalJSON(data) }

// Types with a schema by name.
type (
	named          struct{ opaque }
	namedOptional  struct{ nullable }
	namedWrongly   struct{ opaque }
	namedOpenAPI   struct{ openAPI }
	namedAuthor    struct{ opaque }
	namedTooLate   struct{ opaque }
	namedStruct    struct{ N int }
	namedText      struct{ netip.Addr }
	namedTextWrong struct{ netip.Addr }
)

func nameSchemas(schemas map[string]string) {
	full := map[string]string{}
	for name, schema := range schemas {
		full[reflect.TypeFor[named]().PkgPath()+"."+name] = schema
	}
	wellknown.RegisterAt(full, "names.go:1")
}

// TestNamed checks the schemas of types that have one by name.
func TestNamed(t *testing.T) {
	t.Parallel()
	digits := `{"type":"string","pattern":"^[0-9]*$"}`
	nameSchemas(map[string]string{
		"named": digits, "namedOptional": `{"anyOf":[{"type":"integer"},{"type":"null"}]}`, "namedWrongly": `{"type":"integer"}`,
		"namedOpenAPI": digits, "namedAuthor": `{"type":"integer"}`, "namedStruct": digits,
		"namedText": `{"type":"string","maxLength":40}`, "namedTextWrong": `{"type":"integer"}`,
	})
	reflectschema.RegisterSchema[namedAuthor](`{"type":"string","title":"T"}`)
	tests := []struct {
		name   string
		goType reflect.Type
		want   string
	}{
		{"a type with JSON methods", reflect.TypeFor[named](), digits},
		{"a type that writes null", reflect.TypeFor[namedOptional](), `{"anyOf":[{"type":"integer"},{"type":"null"}]}`},
		{"the zero value does not fit", reflect.TypeFor[namedWrongly](), `{}`},
		{"the zero value does not fit, with OpenAPI methods", reflect.TypeFor[namedOpenAPI](), `{"type":"string"}`},
		{"registered by the author", reflect.TypeFor[namedAuthor](), `{"title":"T","type":"string"}`},
		{"a type without methods", reflect.TypeFor[namedStruct](), `{"type":"object","properties":{"N":{"type":"integer"}},"required":["N"],"additionalProperties":false}`},
		{"a type with text methods", reflect.TypeFor[namedText](), `{"type":"string","maxLength":40}`},
		{"a type with text methods, described as a number", reflect.TypeFor[namedTextWrong](), `{"type":"string"}`},
	}
	for _, tt := range tests {
		compiled, err := reflectschema.Compile(tt.goType, reflectschema.DirectionInput)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := compiled.Schema().String(); got != tt.want {
			t.Errorf("%s: schema = %s, want %s", tt.name, got, tt.want)
		}
	}
	tagged, err := reflectschema.Compile(reflect.TypeFor[struct {
		Amount named `json:"amount" jsonschema:"maxLength=5,default=0"`
	}](), reflectschema.DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"amount":{"type":"string","pattern":"^[0-9]*$","maxLength":5,"default":"0"}`; !strings.Contains(tagged.Schema().String(), want) {
		t.Errorf("schema with a tag = %s, want %s", tagged.Schema(), want)
	}
}

// TestNamedTooLate registers the schema of a type after it was compiled.
func TestNamedTooLate(t *testing.T) {
	t.Parallel()
	if _, err := reflectschema.Compile(reflect.TypeFor[namedTooLate](), reflectschema.DirectionInput); err != nil {
		t.Fatal(err)
	}
	defer func() {
		err, _ := recover().(reflectschema.TypeErrors)
		const want = "wellknown.Register at names.go:1: the type has been compiled already, without it"
		if len(err) != 1 || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "namedTooLate") {
			t.Errorf("got panic %v, want %s", err, want)
		}
	}()
	nameSchemas(map[string]string{"namedTooLate": `{}`})
}
