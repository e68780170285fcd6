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

// fill sets a field of a schema to a nonzero value.
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
	t.Fatalf("jsonschema.Schema has a field of unknown type %s", f.Type())
}

// TestRenderKeywords renders a schema with every keyword: none is lost, and they are in a readable order.
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
		t.Errorf("the keywords are in the wrong order: %s", made.JSON())
	}
}

// TestRenderExtras renders extras with schemas of different Go types.
func TestRenderExtras(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		extras map[string]any
		want   string
		reason string
	}{
		{"booleans", map[string]any{"contains": true, "unevaluatedItems": false, "not": false}, `{"contains":{},"not":{"not":{}},"unevaluatedItems":false}`, "boolean schemas become objects"},
		{"maps", map[string]any{"items": map[string]any{"type": "string", "title": "T"}}, `{"items":{"title":"T","type":"string"}}`, "keywords in the usual order"},
		{"lists", map[string]any{"anyOf": []any{true, map[string]any{"not": true}}}, `{"anyOf":[{},{"not":{}}]}`, "lists of schemas"},
		{"schemas", map[string]any{"unevaluatedItems": &jsonschema.Schema{Type: "string", Title: "T"}}, `{"unevaluatedItems":{"title":"T","type":"string"}}`, "the Go type does not matter"},
		{"data", map[string]any{"x-data": map[string]any{"type": true, "title": "<"}}, `{"x-data":{"title":"<","type":true}}`, "the value of an unknown keyword is data"},
		{"type", map[string]any{"type": []string{"string", "null"}, "a": 1}, `{"type":["string","null"],"a":1}`, "keywords of extras in the usual order"},
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
	const want = "format: /properties/a/type occurs twice"
	twice := jsonschema.NewProperties()
	twice.Set("a", &jsonschema.Schema{Type: "string", Extras: map[string]any{"type": "string"}})
	if made, err := render(&jsonschema.Schema{Properties: twice}); err == nil || err.Error() != want {
		t.Errorf("got %v and the error %v, want %s", made, err, want)
	}
}

// TestRenderBooleans renders boolean schemas and the empty schema, which MarshalJSON writes as true.
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
