package walk

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

// TestHookOf checks that only methods declared by the type itself are used.
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
		if got := HookOf(tt.goType) != nil; got != tt.want {
			t.Errorf("%s: declares a hook: %v, want %v", tt.goType, got, tt.want)
		}
	}
}
