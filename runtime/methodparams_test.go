package runtime_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/runtime"
)

// animal is a union in params and results of methods.
type animal interface{ isAnimal() }

type (
	cat struct{ Lives int }
	dog struct{ Name string }
)

func (cat) isAnimal() {}
func (dog) isAnimal() {}

// colour is a type with a list of values.
type colour string

var (
	_ = reflectschema.Union("kind", map[string]animal{"cat": cat{}, "dog": dog{}})
	_ = reflectschema.Enum[colour]("red", "green")
)

// TestTypedCodec: the params and the result of a method pass through the codec of tools.
func TestTypedCodec(t *testing.T) {
	t.Parallel()
	type in struct {
		Pet    animal        `json:"pet"`
		Wait   time.Duration `json:"wait"`
		Number json.Number   `json:"number"`
		Unit   string        `json:"unit" jsonschema:"default=celsius,minLength=2"`
		Most   int           `json:"most" jsonschema:"minimum=1"`
		Colour colour        `json:"colour,omitzero"`
	}
	type none struct{}
	type hidden struct{ E error }
	ran := false
	srv := serve(t)
	log := logged(srv, slog.LevelError)
	srv.Methods = runtime.MustMethods(
		runtime.Method{Name: "x/echo", Handle: runtime.Typed(func(_ context.Context, v in) (map[string]in, error) { return map[string]in{"got": v}, nil })},
		runtime.Method{Name: "x/read", Handle: runtime.Typed(func(_ context.Context, v *in) (none, error) {
			if v.Most != 0 || v.Unit != "celsius" || v.Pet != nil {
				t.Errorf("got %+v", v)
			}
			return none{}, nil
		})},
		runtime.Method{Name: "x/union", Handle: runtime.Typed(func(context.Context, none) (animal, error) { return dog{"Rex"}, nil })},
		runtime.Method{Name: "x/nil", Handle: runtime.Typed(func(context.Context, none) (animal, error) { return nil, nil })},
		runtime.Method{Name: "x/in", Handle: runtime.Typed(func(context.Context, hidden) (none, error) { ran = true; return none{}, nil })},
		runtime.Method{Name: "x/out", Handle: runtime.Typed(func(context.Context, none) (hidden, error) { ran = true; return hidden{}, nil })},
	)
	w := open(t, srv)
	for _, test := range []struct{ method, params, want, reason string }{
		{
			"x/echo", `,"pet":{"kind":"cat","Lives":9},"wait":7,"number":1.50,"most":1,"more":true`,
			`"got":{"pet":{"kind":"cat","Lives":9},"wait":7,"number":1.50,"unit":"celsius","most":1}`, "as the codec has it, without what has no field",
		},
		{"x/echo", `,"pet":{"kind":"dog","Name":"Rex"},"wait":null,"unit":"ab","most":1`, `"wait":0,"number":0,"unit":"ab"`, "null is zero"},
		{"x/read", ``, `"result":{`, "all may be left out, and keeps its default"},
		{"x/read", `,"unit":null,"colour":null`, `"result":{`, "null is the same as left out, for a default and for a list of values"},
		{"x/read", `,"wait":"7"`, `"message":"params.wait does not fit the method"`, "another type"},
		{"x/read", `,"pet":{"kind":"cow"}`, `"message":"params.pet.kind does not fit the method"`, "no such member"},
		{"x/union", ``, `"kind":"dog","Name":"Rex"`, "the result is a union itself"},
		{"x/nil", ``, `"result":{`, "nil is an empty object"},
		{"x/in", ``, `"code":-32603,"message":"the method failed on the server's side (reference `, "the params have no JSON"},
		{"x/out", ``, `"code":-32603,"message":"the method failed on the server's side (reference `, "the result has no JSON"},
	} {
		w.send(modern("1", test.method, test.params))
		if got := w.next(); !strings.Contains(got, test.want) {
			t.Errorf("%s%s: got %s, want %s: %s", test.method, test.params, got, test.want, test.reason)
		}
	}
	if ran {
		t.Error("a func ran whose params or result have no JSON")
	}
	for _, want := range []string{"the method's params: ", "the method's result: ", "error is an interface with methods"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("want %q in the log: %s", want, log)
		}
	}
}
