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
	properties.Set("a", jsonschema.FalseSchema)
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
	t.Fatalf("a schema has a field of type %s now, which the writer does not know either", f.Type())
}

// TestRenderWritesEveryKeyword holds what is written against the schema's own MarshalJSON,
// each field alone, and then all of them in the order of people.
func TestRenderWritesEveryKeyword(t *testing.T) {
	t.Parallel()
	same := func(s *jsonschema.Schema) *Schema {
		t.Helper()
		made, err := render(s)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var got, want any
		if err := json.Unmarshal(made.JSON(), &got); err != nil {
			t.Fatalf("%s: %v", made.JSON(), err)
		}
		_ = json.Unmarshal(raw, &want)
		if properties, ok := want.(map[string]any)["properties"].(map[string]any); ok {
			properties["a"] = map[string]any{"not": map[string]any{}} // booleans are for few clients
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("want %s, got %s", raw, made.JSON())
		}
		return made
	}
	all := &jsonschema.Schema{Extras: map[string]any{
		"x-b": 1, "x-a": map[string]any{"z": nil}, "prefixItem": "y", "unevaluatedProperties": &jsonschema.Schema{Title: "t"},
	}}
	fields := reflect.TypeFor[jsonschema.Schema]()
	for i := range fields.NumField() {
		if tag := fields.Field(i).Tag.Get("json"); tag == "" || tag == "-" {
			continue
		}
		one := &jsonschema.Schema{}
		fill(t, reflect.ValueOf(one).Elem().Field(i))
		if made := same(one); len(made.doc().Members) != 1 {
			t.Errorf("%s: got %s", fields.Field(i).Name, made.JSON())
		}
		fill(t, reflect.ValueOf(all).Elem().Field(i))
	}
	made := same(all)
	if !slices.IsSortedFunc(made.doc().Members, func(a, b jsondoc.Member) int { return cmp.Compare(jsondoc.Reading(a.Name), jsondoc.Reading(b.Name)) }) {
		t.Errorf("the keywords are not in the order of reading: %s", made.JSON())
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
		{"schemas", map[string]any{"x-s": []*jsonschema.Schema{{Type: "string", Title: "T"}}}, `{"x-s":[{"title":"T","type":"string"}]}`, "they are written as anywhere"},
		{"data", map[string]any{"x-data": map[string]any{"type": true, "title": "<"}}, `{"x-data":{"title":"<","type":true}}`, "what is no schema stays as it is"},
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
		t.Errorf("got %s, want an error: the type is said twice", made.JSON())
	}
}

// keeps is a type whose method keeps the schema that it is shown.
type keeps struct{ Name string }

var shownToHook *jsonschema.Schema

func (keeps) JSONSchemaExtend(s *jsonschema.Schema) { shownToHook = s }

// TestSheetsOfHooks compiles a type with a method, and others after it.
func TestSheetsOfHooks(t *testing.T) {
	if _, err := compile(reflect.TypeFor[keeps](), Options{}); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if _, err := compile(forty(true), Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := shownToHook.Properties.Get("Name"); !ok || shownToHook.Properties.Len() != 1 {
		t.Errorf("the schema that a method has seen became another one: %d properties", shownToHook.Properties.Len())
	}
}

// TestBooleanOf: a boolean schema is known as one however it was made, and whatever else was set in it.
func TestBooleanOf(t *testing.T) {
	t.Parallel()
	parsed := func(text string) *jsonschema.Schema {
		var s jsonschema.Schema
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(err)
		}
		return &s
	}
	none, described := *jsonschema.FalseSchema, *jsonschema.FalseSchema
	described.Description = "nothing fits"
	for _, test := range []struct {
		name      string
		schema    *jsonschema.Schema
		value, ok bool
	}{
		{"true", jsonschema.TrueSchema, true, true},
		{"false", jsonschema.FalseSchema, false, true},
		{"a copy of false", &none, false, true},
		{"false with a description", &described, false, true},
		{"true in JSON", parsed("true"), true, true},
		{"false in JSON", parsed("false"), false, true},
		{"no keyword", &jsonschema.Schema{}, false, false},
		{"no keyword in JSON", parsed("{}"), false, false},
		{"keywords", &jsonschema.Schema{Type: "string", Extras: map[string]any{"x": 1}}, false, false},
	} {
		if value, ok := booleanOf(test.schema); value != test.value || ok != test.ok {
			t.Errorf("%s: %t, %t", test.name, value, ok)
		}
	}
}
