package reflectschema

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// fill gives a field of a schema a value that is not left out.
func fill(t *testing.T, f reflect.Value) {
	t.Helper()
	inner := &jsonschema.Schema{Type: "string"}
	properties := jsonschema.NewProperties()
	properties.Set("b", inner)
	properties.Set("a", &jsonschema.Schema{Title: "a"})
	for _, value := range []any{
		"x", jsonschema.ID("urn:x"), json.Number("5"), new(uint64(7)), true,
		[]string{"b", "a"},
		[]any{1, "<"},
		inner, properties,
		[]*jsonschema.Schema{inner, inner},
		map[string]*jsonschema.Schema{"b": inner, "a": inner},
		jsonschema.Definitions{"d": inner},
		map[string][]string{"a": {"b"}},
	} {
		if reflect.TypeOf(value) == f.Type() || f.Kind() == reflect.Interface {
			f.Set(reflect.ValueOf(value))
			return
		}
	}
	t.Fatalf("a schema has a field of the unknown type %s", f.Type())
}

// TestRenderKeywords renders a schema with every keyword: none is lost, and they are in reading order.
func TestRenderKeywords(t *testing.T) {
	t.Parallel()
	s := &jsonschema.Schema{Extras: map[string]any{
		"x-b": 1, "x-a": map[string]any{"z": nil}, "prefixItem": "y", "unevaluatedProperties": &jsonschema.Schema{Title: "t"},
	}}
	for f, v := range reflect.ValueOf(s).Elem().Fields() {
		if tag := f.Tag.Get("json"); tag != "" && tag != "-" {
			fill(t, v)
		}
	}
	made, err := render(s)
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := json.Unmarshal(made.JSON(), &got); err != nil {
		t.Fatalf("%s: %v", made.JSON(), err)
	}
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	_ = json.Unmarshal(raw, &want)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("want %s, got %s", raw, made.JSON())
	}
	if !slices.IsSortedFunc(made.doc().Members, func(a, b jsondoc.Member) int { return cmp.Compare(jsondoc.Reading(a.Name), jsondoc.Reading(b.Name)) }) {
		t.Errorf("the keywords are not in reading order: %s", made.JSON())
	}
}

// TestRenderExtras has schemas among the extras, of whatever Go type.
func TestRenderExtras(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		extras map[string]any
		want   string
		reason string
	}{
		{"booleans", map[string]any{"contains": true, "unevaluatedItems": false, "not": false}, `{"contains":{},"not":{"not":{}},"unevaluatedItems":false}`, "schemas are objects wherever clients expect one"},
		{"maps", map[string]any{"items": map[string]any{"type": "string", "title": "T"}}, `{"items":{"title":"T","type":"string"}}`, "their keywords are in the same order as any"},
		{"lists", map[string]any{"anyOf": []any{true, map[string]any{"not": true}}}, `{"anyOf":[{},{"not":{}}]}`, "each is a schema"},
		{"schemas", map[string]any{"unevaluatedItems": &jsonschema.Schema{Type: "string", Title: "T"}}, `{"unevaluatedItems":{"title":"T","type":"string"}}`, "it makes no difference how a schema is given"},
		{"data", map[string]any{"x-data": map[string]any{"type": true, "title": "<"}}, `{"x-data":{"title":"<","type":true}}`, "the value of an unknown keyword is data"},
		{"type", map[string]any{"type": []string{"string", "null"}, "a": 1}, `{"type":["string","null"],"a":1}`, "a keyword stands in its place, wherever it comes from"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			made, err := render(&jsonschema.Schema{Extras: tt.extras})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(made.JSON()); got != tt.want {
				t.Errorf("got %s, want %s; %s", got, tt.want, tt.reason)
			}
		})
	}
	if made, err := render(&jsonschema.Schema{Type: "string", Extras: map[string]any{"type": "string"}}); err == nil {
		t.Errorf("got %s, want an error: the type is given twice", made.JSON())
	}
}

// TestRenderBooleans renders boolean schemas and the empty one, which MarshalJSON writes as true.
func TestRenderBooleans(t *testing.T) {
	t.Parallel()
	described := *jsonschema.FalseSchema
	described.Description = "refuses everything"
	for _, tt := range []struct {
		schema *jsonschema.Schema
		want   string
	}{
		{jsonschema.TrueSchema, `{}`},
		{&jsonschema.Schema{}, `{}`},
		{jsonschema.FalseSchema, `{"not":{}}`},
		{&described, `{"not":{}}`},
		{&jsonschema.Schema{Items: &jsonschema.Schema{}, AdditionalProperties: jsonschema.TrueSchema}, `{"items":{},"additionalProperties":{}}`},
		{&jsonschema.Schema{Items: jsonschema.FalseSchema, AdditionalProperties: jsonschema.FalseSchema}, `{"items":{"not":{}},"additionalProperties":false}`},
	} {
		made, err := render(tt.schema)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(made.JSON()); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
