package reflectschema

import (
	"reflect"
	"testing"

	"github.com/invopop/jsonschema"
)

type (
	signal interface{ isSignal() }
	red    struct{ Seconds int }
	green  struct{ Seconds int }

	junction struct{ Signal signal }
	anyway   struct{ Signal signal }
)

func (red) isSignal()   {}
func (green) isSignal() {}

func (anyway) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{} }

func init() {
	RegisterUnion("color", map[string]signal{"red": red{}, "green": green{}})
}

// TestUnionPlanned checks that plans support unions with their own schema, and that unions whose schema does not
// distinguish the members have no plan.
func TestUnionPlanned(t *testing.T) {
	t.Parallel()
	for goType, planned := range map[reflect.Type]bool{
		reflect.TypeFor[junction](): true, reflect.TypeFor[[]signal](): true, reflect.TypeFor[signal](): true, reflect.TypeFor[anyway](): false,
	} {
		for _, d := range []Direction{DirectionInput, DirectionOutput} {
			made, err := Compile(goType, d)
			if err != nil {
				t.Fatal(err)
			}
			if (made.plan() != nil) != planned {
				t.Errorf("%s: has a plan: %t", goType, !planned)
			}
		}
	}
}

// TestUnionUnchecked checks that the decoder does not rely on the schema, which a method replaces here by one that
// allows everything.
func TestUnionUnchecked(t *testing.T) {
	t.Parallel()
	made, err := Compile(reflect.TypeFor[anyway](), DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, data, want string }{
		{"valid", `{"Signal":{"Seconds":5,"color":"red"}}`, ""},
		{"null", `{"Signal":null}`, ""},
		{"wrong discriminator", `{"Signal":{"color":"blue"}}`, `Signal.color: must be one of "green", "red", got "blue"`},
		{"no discriminator", `{"Signal":{"Seconds":5}}`, `Signal.color: is required but missing; must be one of "green", "red"`},
		{"not a string", `{"Signal":{"color":["red"]}}`, `Signal.color: is required but missing; must be one of "green", "red"`},
		{"not an object", `{"Signal":["red"]}`, `Signal: must be an object, got an array of 1 item`},
		{"other members are decoded", `{"Signal":{"color":"red","Seconds":"5"},"more":{"color":1}}`, `Signal.Seconds: must be an integer, got the string "5"`},
	} {
		got := ""
		if err := made.Decode([]byte(tt.data), reflect.New(made.goType).Elem()); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
