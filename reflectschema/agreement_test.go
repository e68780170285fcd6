package reflectschema_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// TestAgreementTypes holds for every legal type of the table that its values are
// written as its schema says and as encoding/json writes them, and read back.
func TestAgreementTypes(t *testing.T) {
	t.Parallel()
	for _, tt := range typeCases {
		goType := reflect.TypeOf(tt.values[0])
		for _, d := range []reflectschema.Direction{reflectschema.Input, reflectschema.Output} {
			compiled, err := reflectschema.Compile(goType, reflectschema.Options{Direction: d})
			if err != nil {
				continue // what is refused is in the golden file
			}
			if d == reflectschema.Input && tt.name == "recursive, one name in two packages" {
				continue // syntax.Regexp holds nil in an array, where an input cannot leave it out
			}
			for i, value := range tt.values {
				v := reflect.New(goType).Elem()
				v.Set(reflect.ValueOf(value))
				data := agree(t, fmt.Sprintf("%s/%d/%d", tt.name, d, i), compiled, v)
				if d == reflectschema.Output {
					sameJSON(t, tt.name, data, v)
				}
			}
		}
	}
}

// TestAgreementGenerated holds the same of types and values made up at random,
// and that whatever their schemas take for valid can be decoded.
func TestAgreementGenerated(t *testing.T) {
	t.Parallel()
	count := 300
	if testing.Short() {
		count = 30
	}
	for seed := range count {
		g := &generator{rand.New(rand.NewPCG(uint64(seed), 1))}
		goType := g.structType(3)
		for _, d := range []reflectschema.Direction{reflectschema.Input, reflectschema.Output} {
			compiled, err := reflectschema.Compile(goType, reflectschema.Options{Direction: d})
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, goType, err)
			}
			for range 3 {
				v := reflect.New(goType).Elem()
				g.fill(v, d == reflectschema.Input)
				data := agree(t, fmt.Sprintf("seed %d, direction %d", seed, d), compiled, v)
				if d == reflectschema.Output {
					sameJSON(t, fmt.Sprintf("seed %d", seed), data, v)
				}
				for range 10 {
					validDecodes(t, compiled, goType, g.mutate(data))
				}
			}
		}
	}
}

// agree encodes a value, holds it against the schema, decodes it and encodes
// the result: the bytes must be the same.
func agree(t *testing.T, name string, compiled *reflectschema.Type, v reflect.Value) []byte {
	t.Helper()
	first, err := compiled.AppendEncode(nil, v)
	if err != nil {
		t.Errorf("%s: %v cannot be encoded: %v\nschema %s", name, v, err, compiled.Schema().JSON())
		return nil
	}
	if err := compiled.Schema().Check(first); err != nil {
		t.Errorf("%s: the schema refuses %s: %v", name, first, err)
	}
	back := reflect.New(v.Type()).Elem()
	if err := compiled.Decode(first, back); err != nil {
		t.Errorf("%s: %s cannot be decoded: %v", name, first, err)
		return first
	}
	second, err := compiled.AppendEncode(nil, back)
	if err != nil || !bytes.Equal(first, second) {
		t.Errorf("%s: written %s, read and written again %s, error %v", name, first, second, err)
	}
	return first
}

// sameJSON holds what we wrote against what encoding/json writes. It does not
// call methods on pointers to what is in a map; we do.
func sameJSON(t *testing.T, name string, ours []byte, v reflect.Value) {
	t.Helper()
	if in := v.Type().String(); strings.Contains(in, "map[") && (strings.Contains(in, "big.Int") || strings.Contains(in, "Point")) {
		return
	}
	theirs, err := json.Marshal(v.Addr().Interface())
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if diff := cmp.Diff(generic(t, theirs), generic(t, ours)); diff != "" {
		t.Errorf("%s: encoding/json writes %s, we %s\n%s", name, theirs, ours, diff)
	}
}

// generic reads JSON without types, numbers digit for digit.
func generic(t *testing.T, data []byte) (v any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return v
}

// validDecodes holds that data is decoded if the schema takes it, unless the Go
// type has its own opinion, which no keyword can say.
func validDecodes(t *testing.T, compiled *reflectschema.Type, goType reflect.Type, data []byte) {
	t.Helper()
	valid := compiled.Schema().Check(data)
	back := reflect.New(goType).Elem()
	err := compiled.Decode(data, back)
	switch {
	case valid != nil && err == nil:
		t.Errorf("%s is decoded, but the schema refuses it: %v", data, valid)
	case valid == nil && err != nil:
		var invalid *reflectschema.InvalidError
		if !errors.As(err, &invalid) {
			t.Fatalf("%s: %v", data, err)
		}
		for _, violation := range invalid.Violations {
			if !slices.Contains([]string{"decode", "contentEncoding", "propertyNames", "minimum", "maximum"}, violation.Keyword) {
				t.Errorf("%s is valid, but cannot be decoded: %v", data, err)
			}
		}
	case valid == nil:
		if _, err := compiled.AppendEncode(nil, back); err != nil && !strings.Contains(string(compiled.Schema().JSON()), "null") {
			t.Errorf("%s is decoded to what cannot be encoded: %v\nschema %s", data, err, compiled.Schema().JSON())
		}
	}
}

// A generator makes types and values at random.
type generator struct{ *rand.Rand }

var leafTypes = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int64](), reflect.TypeFor[uint16](), reflect.TypeFor[uint64](),
	reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[string](), reflect.TypeFor[State](), reflect.TypeFor[[]byte](), reflect.TypeFor[Blob](),
	reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](), reflect.TypeFor[json.Number](), reflect.TypeFor[big.Int](), reflect.TypeFor[netip.Addr](),
	reflect.TypeFor[Level](), reflect.TypeFor[Point](), reflect.TypeFor[any](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[Names](), reflect.TypeFor[tree](),
}

var fieldTags = []reflect.StructTag{``, ``, ``, `json:"%s"`, `json:"%s,omitempty"`, `json:",omitzero"`, `jsonschema:"optional"`, `doc:"%s, in words"`}

// structType makes a struct of fields with types up to so deep.
func (g *generator) structType(depth int) reflect.Type {
	var fields []reflect.StructField
	if g.IntN(4) == 0 {
		fields = append(fields, reflect.StructField{Name: "Base", Type: reflect.TypeFor[Base](), Anonymous: true})
	}
	for i := range 1 + g.IntN(5) {
		name := fmt.Sprintf("F%d", i)
		tag := fieldTags[g.IntN(len(fieldTags))]
		tag = reflect.StructTag(strings.ReplaceAll(string(tag), "%s", strings.ToLower(name)))
		fields = append(fields, reflect.StructField{Name: name, Type: g.goType(depth - 1), Tag: tag})
	}
	return reflect.StructOf(fields)
}

func (g *generator) goType(depth int) reflect.Type {
	if depth <= 0 {
		return leafTypes[g.IntN(len(leafTypes))]
	}
	switch g.IntN(8) {
	case 0:
		return reflect.SliceOf(g.goType(depth - 1))
	case 1:
		return reflect.ArrayOf(g.IntN(3), g.goType(depth-1))
	case 2:
		keys := []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[uint8](), reflect.TypeFor[Level](), reflect.TypeFor[State]()}
		return reflect.MapOf(keys[g.IntN(len(keys))], g.goType(depth-1))
	case 3:
		return reflect.PointerTo(g.goType(depth - 1))
	case 4:
		return g.structType(depth - 1)
	default:
		return g.goType(0)
	}
}

// fill sets a value at random. Where nil is null, an input has no nil.
func (g *generator) fill(v reflect.Value, noNil bool) {
	if g.fillKnown(v) {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(g.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(g.Int64() >> g.IntN(64) >> (64 - v.Type().Bits()) * int64(1-2*g.IntN(2)))
	case reflect.Uint8, reflect.Uint16, reflect.Uint64:
		v.SetUint(g.Uint64() >> g.IntN(64) >> (64 - v.Type().Bits()))
	case reflect.Float32:
		v.SetFloat(float64(float32(g.NormFloat64() * 1e10)))
	case reflect.Float64:
		v.SetFloat([]float64{0, 1e-9, 1e21, math.MaxFloat64, g.NormFloat64()}[g.IntN(5)])
	case reflect.String:
		v.SetString([]string{"", "a", "é<&>\u2028\"\\\n", strings.Repeat("x", 50)}[g.IntN(4)])
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), g.IntN(3), 3))
		for i := range v.Len() {
			g.fill(v.Index(i), noNil)
		}
	case reflect.Array:
		for i := range v.Len() {
			g.fill(v.Index(i), noNil)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range g.IntN(3) {
			key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			g.fill(key, noNil)
			g.fill(elem, noNil)
			v.SetMapIndex(key, elem)
		}
	case reflect.Pointer:
		if noNil || g.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			g.fill(v.Elem(), noNil || v.Elem().Kind() == reflect.Pointer) // null says nothing of how deep the nil was
		}
	case reflect.Struct:
		for i := range v.NumField() {
			g.fill(v.Field(i), noNil)
		}
	default:
		panic("leafTypes has a type that fill does not know: " + v.Type().String())
	}
}

// fillKnown sets a value of a type whose JSON is not what its kind says.
func (g *generator) fillKnown(v reflect.Value) bool {
	var value any
	switch v.Interface().(type) {
	case time.Time:
		value = time.Unix(g.Int64N(1<<33), g.Int64N(1e9)).UTC()
	case json.Number:
		value = json.Number([]string{"0", "-1.50", "1e3", "12345678901234567890"}[g.IntN(4)])
	case json.RawMessage:
		value = json.RawMessage([]string{`{"a":[1]}`, `[null]`, `"x"`}[g.IntN(3)])
	case big.Int:
		value = *big.NewInt(g.Int64())
	case netip.Addr:
		value = netip.AddrFrom4([4]byte{10, 0, 0, byte(g.IntN(256))})
	case Level:
		value = Level(1 + g.IntN(2))
	case tree:
		value = tree{Name: "t", Parent: &tree{Name: "p", Parent: &tree{}}, Kids: []tree{{}}}
	default:
		if v.Kind() != reflect.Interface {
			return false
		}
		value = []any{1.5, "x", true, []any{"y"}, map[string]any{"k": 2.0}}[g.IntN(5)]
	}
	v.Set(reflect.ValueOf(value))
	return true
}

// mutate changes JSON in a place, so that it stays JSON more often than not.
func (g *generator) mutate(data []byte) []byte {
	swaps := []string{
		"1", "1.0", "0", "-1", "10", "1e2", "true", "false", `""`, `"x"`, "null", "{}", "[]", `"`, `"low"`, ":", "7", ".5", `"AA=="`, `"!"`, "300", "3.0",
	}
	out := bytes.Clone(data)
	from, to := swaps[g.IntN(len(swaps))], swaps[g.IntN(len(swaps))]
	for range 4 {
		if bytes.Contains(out, []byte(from)) {
			break
		}
		from = swaps[g.IntN(len(swaps))]
	}
	return bytes.Replace(out, []byte(from), []byte(to), 1+g.IntN(2))
}
