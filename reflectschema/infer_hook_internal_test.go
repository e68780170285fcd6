package reflectschema

import (
	"reflect"
	"testing"

	"github.com/invopop/jsonschema"
)

type (
	ByValue   struct{ A int }
	ByPointer struct{ A int }
	named     string

	promotesValue   struct{ ByValue }
	promotesPointer struct{ ByPointer }
	promotesThrough struct{ *ByValue }
	promotesDeep    struct{ promotesValue }
	promotesIface   struct{ schemaReplacer }
	overrides       struct{ ByValue }
	overridesByPtr  struct{ ByPointer }
)

func (ByValue) JSONSchema() *jsonschema.Schema         { return &jsonschema.Schema{Title: "value"} }
func (*ByPointer) JSONSchema() *jsonschema.Schema      { return &jsonschema.Schema{Title: "pointer"} }
func (named) JSONSchema() *jsonschema.Schema           { return &jsonschema.Schema{Title: "named"} }
func (overrides) JSONSchema() *jsonschema.Schema       { return &jsonschema.Schema{Title: "own"} }
func (*overridesByPtr) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Title: "own"} }

// TestHookOf holds that a method counts where it is declared and nowhere else.
func TestHookOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		goType reflect.Type
		want   bool
	}{
		{reflect.TypeFor[ByValue](), true},
		{reflect.TypeFor[ByPointer](), true},
		{reflect.TypeFor[named](), true},
		{reflect.TypeFor[overrides](), true},
		{reflect.TypeFor[overridesByPtr](), true},
		{reflect.TypeFor[promotesValue](), false},
		{reflect.TypeFor[promotesPointer](), false},
		{reflect.TypeFor[promotesThrough](), false},
		{reflect.TypeFor[promotesDeep](), false},
		{reflect.TypeFor[promotesIface](), false},
		{reflect.TypeFor[struct{ ByValue }](), false},
		{reflect.TypeFor[schemaReplacer](), false},
		{reflect.TypeFor[string](), false},
	} {
		if got := hookOf(tt.goType) != nil; got != tt.want {
			t.Errorf("%s has a hook of its own: %v, want %v", tt.goType, got, tt.want)
		}
	}
}

// TestReplaceIsFresh holds that a schema which a method keeps is not written to.
func TestReplaceIsFresh(t *testing.T) {
	t.Parallel()
	type described struct {
		_ struct{} `doc:"x"`
		A kept     `jsonschema:"title=T,example=1,x-a=1" doc:"D"`
	}
	if _, err := Compile(reflect.TypeFor[described](), Options{}); err != nil {
		t.Fatal(err)
	}
	want := &jsonschema.Schema{Type: "integer", Examples: []any{7}, Extras: map[string]any{"x-k": 1}}
	if !reflect.DeepEqual(keptSchema, want) {
		t.Errorf("the schema that the method keeps is now %+v", keptSchema)
	}
}

type kept int

var keptSchema = &jsonschema.Schema{Type: "integer", Examples: []any{7}, Extras: map[string]any{"x-k": 1}}

func (kept) JSONSchema() *jsonschema.Schema { return keptSchema }
