package main

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/lab/crosscheck/gotype"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// TestExamplesFit checks that the errors for wrong values of generated types and schemas show only examples that the type
// or schema accepts, and that most errors show one.
func TestExamplesFit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		cases uint64
		check func(g *generator) (check func([]byte) error, value any)
	}{
		{"types", 300, func(g *generator) (func([]byte) error, any) {
			goType := gotype.NewGenerator(g.Uint64()).Struct(3).Reflect()
			compiled, err := reflectschema.Compile(goType, reflectschema.DirectionInput)
			if err != nil {
				return nil, nil
			}
			return func(data []byte) error { return compiled.Decode(data, reflect.New(goType).Elem()) }, g.valueOf(goType, 6)
		}},
		{"schemas", 1000, func(g *generator) (func([]byte) error, any) {
			schema, err := reflectschema.ParseSchema(encode(g.schema(3)))
			if err != nil {
				return nil, nil
			}
			return schema.Check, g.value(3)
		}},
	} {
		refused, shown := 0, 0
		for i := range test.cases {
			g := &generator{rand.New(rand.NewPCG(99, i))}
			check, value := test.check(g)
			if check == nil {
				continue
			}
			err := check(encode(value))
			if err == nil {
				continue
			}
			refused++
			_, example, ok := strings.Cut("\n"+err.Error(), "\nExample: ")
			if !ok {
				continue
			}
			shown++
			if err := check([]byte(example)); err != nil {
				t.Errorf("%s/%d: the example %s is refused: %v", test.name, i, example, err)
			}
		}
		t.Logf("%s: %d values refused, %d examples", test.name, refused, shown)
		if shown < 50 || shown < refused/2 {
			t.Errorf("%s: %d values refused, %d examples, want at least half as many", test.name, refused, shown)
		}
	}
}
