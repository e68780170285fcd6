package reflectschema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema/datetime"
)

// generatedLeaves are the leaf types of generated types, each with its possible tags.
var generatedLeaves = []struct {
	goType reflect.Type
	tags   []string
}{
	{reflect.TypeFor[bool](), []string{``, `jsonschema:"default=true"`}},
	{reflect.TypeFor[int](), []string{``, `jsonschema:"minimum=-3,maximum=12"`, `jsonschema:"exclusiveMinimum=0,multipleOf=4"`, `jsonschema:"enum=1,enum=2"`, `jsonschema:"enum=0,enum=1,enum=2,enum=3,enum=4,enum=5,enum=6,enum=7,enum=12"`, `json:",string"`}},
	{reflect.TypeFor[int8](), []string{``, `jsonschema:"maximum=100"`}},
	{reflect.TypeFor[uint16](), []string{``, `jsonschema:"minimum=2,default=9"`}},
	{reflect.TypeFor[uint64](), []string{``, `jsonschema:"exclusiveMaximum=1000"`}},
	{reflect.TypeFor[float32](), []string{``, `jsonschema:"minimum=0.1"`}},
	{reflect.TypeFor[float64](), []string{``, `jsonschema:"minimum=-0.5,exclusiveMaximum=0.7"`, `jsonschema:"multipleOf=0.25"`}},
	{reflect.TypeFor[string](), []string{``, `jsonschema:"minLength=1,maxLength=5"`, `jsonschema:"enum=x,enum=é"`, `jsonschema:"enum=x,enum=é,enum=a,enum=b,enum=c,enum=d,enum=e,enum=f,enum=v,enum=w"`, `jsonschema:"pattern=a+"`, `jsonschema:"format=date-time"`}},
	{reflect.TypeFor[[]byte](), []string{``}},
	{reflect.TypeFor[time.Time](), []string{``}},
	{reflect.TypeFor[time.Duration](), []string{``, `jsonschema:"minimum=0"`}},
	{reflect.TypeFor[json.Number](), []string{``, `jsonschema:"maximum=3"`}},
	{reflect.TypeFor[big.Int](), []string{``}},
	{reflect.TypeFor[netip.Addr](), []string{``}},
	{reflect.TypeFor[color](), []string{``}},
	{reflect.TypeFor[datetime.Date](), []string{``, `jsonschema:"minimum=2026-01-01,exclusiveMaximum=2027-01-01"`}},
	{reflect.TypeFor[datetime.Duration](), []string{``, `jsonschema:"minimum=-15m,maximum=8h"`}},
	{reflect.TypeFor[ownJSON](), []string{``}},
	{reflect.TypeFor[any](), []string{``}},
	{reflect.TypeFor[json.RawMessage](), []string{``}},
	{reflect.TypeFor[corpusTree](), []string{``}},
	{reflect.TypeFor[signal](), []string{``}},
}

// generated returns count generated struct types that have a plan, deterministically.
func generated(tb testing.TB, count int) []*Type {
	tb.Helper()
	var types []*Type
	for seed := uint64(1); len(types) < count; seed++ {
		g := generatedTypes{rand.New(rand.NewPCG(seed, 2))}
		t, err := Compile(g.structure(3), Direction(seed%3))
		if err != nil {
			tb.Fatalf("seed %d: %v", seed, err)
		}
		if t.plan() == nil {
			tb.Fatalf("seed %d has no plan: %s", seed, t.Schema().JSON())
		}
		types = append(types, t)
	}
	return types
}

// generatedOptionals are fields with the states absent, null and a value.
var generatedOptionals = []reflect.StructField{
	{Type: reflect.TypeFor[Optional[int]](), Tag: `jsonschema:"minimum=-3,maximum=12"`},
	{Type: reflect.TypeFor[Optional[string]](), Tag: `jsonschema:"enum=x,enum=é"`},
	{Type: reflect.TypeFor[Optional[bool]](), Tag: `json:",omitzero"`},
	{Type: reflect.TypeFor[Optional[time.Time]]()},
	{Type: reflect.TypeFor[Optional[netip.Addr]]()},
	{Type: reflect.TypeFor[Optional[ownJSON]]()},
	{Type: reflect.TypeFor[Optional[datetime.Date]](), Tag: `jsonschema:"exclusiveMinimum=2026-01-31"`},
	{Type: reflect.TypeFor[Optional[any]]()},
	{Type: reflect.TypeFor[Optional[signal]]()},
	{Type: reflect.TypeFor[Optional[map[string][]float64]](), Tag: `jsonschema:"maxProperties=2"`},
	{Type: reflect.TypeFor[Optional[corpusTree]]()},
}

type generatedTypes struct{ *rand.Rand }

func (g generatedTypes) structure(depth int) reflect.Type {
	fields := make([]reflect.StructField, 1+g.IntN(5))
	for i := range fields {
		if g.IntN(6) == 0 {
			fields[i] = generatedOptionals[g.IntN(len(generatedOptionals))]
			fields[i].Name = fmt.Sprintf("F%d", i)
			continue
		}
		goType, tag := g.field(depth - 1)
		if tag == "" {
			tag = []string{``, `json:",omitempty"`, `json:",omitzero"`, fmt.Sprintf(`json:"f-%d"`, i), `jsonschema:"optional"`}[g.IntN(5)]
			if tag == `json:",omitempty"` && (goType.Kind() == reflect.Struct || goType.Kind() == reflect.Array) {
				tag = `json:",omitzero"`
			}
		}
		fields[i] = reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: goType, Tag: reflect.StructTag(tag)}
	}
	return reflect.StructOf(fields)
}

// field generates a type, with its tag if it requires one.
func (g generatedTypes) field(depth int) (reflect.Type, string) {
	leaf := generatedLeaves[g.IntN(len(generatedLeaves))]
	if depth <= 0 {
		return leaf.goType, leaf.tags[g.IntN(len(leaf.tags))]
	}
	inner, _ := g.field(depth - 1)
	switch g.IntN(8) {
	case 0:
		return reflect.SliceOf(inner), []string{``, `jsonschema:"minItems=1"`, `jsonschema:"nullable"`}[g.IntN(3)]
	case 1:
		return reflect.ArrayOf(g.IntN(3), inner), ``
	case 2:
		keys := []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[uint8](), reflect.TypeFor[color]()}
		return reflect.MapOf(keys[g.IntN(len(keys))], inner), []string{``, `jsonschema:"maxProperties=2"`}[g.IntN(2)]
	case 3:
		if inner.Kind() == reflect.Pointer {
			return inner, `` // an input refuses a pointer to a pointer
		}
		return reflect.PointerTo(inner), ``
	case 4:
		return g.structure(depth - 1), ``
	default:
		return leaf.goType, leaf.tags[g.IntN(len(leaf.tags))]
	}
}
