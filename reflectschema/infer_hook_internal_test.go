package reflectschema

import (
	"reflect"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
)

// TestReplaceIsFresh checks that a schema that a method retains is not modified.
func TestReplaceIsFresh(t *testing.T) {
	t.Parallel()
	type described struct {
		_ struct{} `doc:"x"`
		A kept     `jsonschema:"title=T,example=1,x-a=1" doc:"D"`
	}
	if _, err := Compile(reflect.TypeFor[described](), DirectionInput); err != nil {
		t.Fatal(err)
	}
	want := &jsonschema.Schema{Type: "integer", Examples: []any{7}, Extras: map[string]any{"x-k": 1}}
	if !reflect.DeepEqual(keptSchema, want) {
		t.Errorf("the retained schema was changed to %+v", keptSchema)
	}
}

type kept int

var keptSchema = &jsonschema.Schema{Type: "integer", Examples: []any{7}, Extras: map[string]any{"x-k": 1}}

func (kept) JSONSchema() *jsonschema.Schema { return keptSchema }

// The schemas of these types cannot be checked in bounded time: $dynamicRef with several targets, a $ref to itself, and
// more patterns than a schema may have.
type (
	hookScoped   struct{ Value any }
	hookEndless  struct{ Value any }
	hookPatterns struct{ Value any }
)

func (hookScoped) JSONSchema() *jsonschema.Schema {
	anchor := map[string]any{"$dynamicAnchor": "d"}
	alternatives := []*jsonschema.Schema{{AdditionalProperties: &jsonschema.Schema{DynamicRef: "#d"}}, {AdditionalProperties: &jsonschema.Schema{DynamicRef: "#d"}}}
	return &jsonschema.Schema{Type: "object", Ref: "https://example.com/a", Definitions: jsonschema.Definitions{
		"x": {ID: "https://example.com/a", Extras: anchor, AnyOf: alternatives, Definitions: jsonschema.Definitions{"y": {ID: "https://example.com/b", Extras: anchor}}},
	}}
}

func (hookEndless) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Definitions: jsonschema.Definitions{"x": {AnyOf: []*jsonschema.Schema{{Ref: "#/$defs/x"}}}}, Ref: "#/$defs/x"}
}

func (hookPatterns) JSONSchema() *jsonschema.Schema {
	var all []*jsonschema.Schema
	for range 20 {
		all = append(all, &jsonschema.Schema{Type: "string", Pattern: strings.Repeat("a{1000}", 4)})
	}
	return &jsonschema.Schema{AllOf: all}
}

// TestHooksAreBounded: schemas of methods are refused, as by ParseSchema, if validation with them would be unbounded.
func TestHooksAreBounded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		goType reflect.Type
		want   string
	}{
		{reflect.TypeFor[hookScoped](), "has several possible targets"},
		{reflect.TypeFor[hookEndless](), "refers to itself without end"},
		{reflect.TypeFor[hookPatterns](), "compile to more than 50000 instructions together"},
	} {
		_, err := Compile(tt.goType, DirectionInput)
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "correct the JSONSchema") {
			t.Errorf("%s: got %v, want %s", tt.goType, err, tt.want)
		}
	}
}
