package reflectschema_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/testscale"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/datetime"
)

// TestAgreement checks for generated types and values: encoded values fit the schema, and decode to values that encode
// to the same bytes; and values that fit the schema decode, unless the Go type is stricter, as a date is.
func TestAgreement(t *testing.T) {
	t.Parallel()
	types, values := testscale.Count(200), 10
	if testing.Short() {
		types = 40
	}
	fit, refused := 0, 0
	for seed := range types {
		rng := rand.New(rand.NewPCG(uint64(seed), 2))
		for _, direction := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput, reflectschema.DirectionStored} {
			g := generator{rng, direction}
			goType := g.structType(3)
			typ, err := reflectschema.Compile(goType, direction)
			if err != nil {
				t.Fatalf("seed %d: Compile(%v): %v", seed, goType, err)
			}
			if _, err := reflectschema.ParseSchema(typ.Schema().JSON()); err != nil {
				t.Errorf("seed %d: the schema of %v is refused: %v", seed, goType, err)
			}
			for range values {
				v := reflect.New(goType).Elem()
				g.fill(v, 6, true)
				data := agrees(t, seed, typ, v)
				for range values {
					if decodesIfFits(t, seed, typ, goType, g.mutate(data)) {
						fit++
					} else {
						refused++
					}
				}
			}
			if t.Failed() {
				return
			}
		}
	}
	if fit < types*10 || refused < types*10 {
		t.Errorf("%d mutants fit and %d do not: want more of both", fit, refused)
	}
}

// agrees checks that v can be encoded, fits the schema, and decodes to a value that encodes to the same bytes.
func agrees(t *testing.T, seed int, typ *reflectschema.Type, v reflect.Value) []byte {
	t.Helper()
	data, err := typ.AppendEncode(nil, v)
	if err != nil {
		t.Errorf("seed %d: %v\nvalue %+v\nschema %s", seed, err, v, typ.Schema().JSON())
		return []byte("{}")
	}
	back := reflect.New(v.Type()).Elem()
	if err := typ.Decode(data, back); err != nil {
		t.Errorf("seed %d: %v\ndata %s\nschema %s", seed, err, data, typ.Schema().JSON())
		return data
	}
	if again, err := typ.AppendEncode(nil, back); err != nil || !bytes.Equal(data, again) {
		t.Errorf("seed %d: %v\n  %s\nbecame %s", seed, err, data, again)
	}
	return data
}

// decodesIfFits checks that the schema and the decoder agree about data, and reports whether it fits.
func decodesIfFits(t *testing.T, seed int, typ *reflectschema.Type, goType reflect.Type, data []byte) bool {
	t.Helper()
	v := reflect.New(goType).Elem()
	fits, err := typ.Schema().Check(data), typ.Decode(data, v)
	switch {
	case (fits == nil) == (err == nil):
		return fits == nil
	case fits != nil:
		t.Errorf("seed %d: %s decodes but does not fit: %v", seed, data, fits)
		return false
	}
	invalid := (*reflectschema.InvalidError)(nil)
	if !errors.As(err, &invalid) {
		t.Fatalf("seed %d: %T %v", seed, err, err)
	}
	for _, violation := range invalid.Violations {
		switch violation.Keyword {
		case "decode", "format", "contentEncoding", "propertyNames", "minimum", "maximum":
		default:
			t.Errorf("seed %d: %s fits %s\nbut does not decode: %v", seed, data, typ.Schema().JSON(), err)
		}
	}
	return true
}

// generator generates types, their values, and mutated values.
type generator struct {
	*rand.Rand
	direction reflectschema.Direction
}

var leafTypes = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
	reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](),
	reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[string](), reflect.TypeFor[[]byte](), reflect.TypeFor[time.Time](),
	reflect.TypeFor[time.Duration](), reflect.TypeFor[json.Number](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[any](), reflect.TypeFor[netip.Addr](),
	reflect.TypeFor[datetime.Date](), reflect.TypeFor[datetime.Duration](),
	reflect.TypeFor[struct{}](), reflect.TypeFor[tree](), reflect.TypeFor[Common](),
}

// optionalTypes are field types with the states absent, null and a value.
var optionalTypes = []reflect.Type{
	reflect.TypeFor[reflectschema.Optional[int8]](), reflect.TypeFor[reflectschema.Optional[string]](), reflect.TypeFor[reflectschema.Optional[[]byte]](),
	reflect.TypeFor[reflectschema.Optional[time.Time]](), reflect.TypeFor[reflectschema.Optional[[]tree]](), reflect.TypeFor[reflectschema.Optional[Common]](),
	reflect.TypeFor[reflectschema.Optional[map[string]any]](),
}

func (g generator) leaf() reflect.Type { return leafTypes[g.IntN(len(leafTypes))] }

func (g generator) goType(depth int) reflect.Type {
	if depth == 0 {
		return g.leaf()
	}
	switch g.IntN(9) {
	case 0:
		t := g.goType(depth - 1)
		if k := t.Kind(); k == reflect.Pointer || k == reflect.Interface || t == reflect.TypeFor[json.RawMessage]() {
			return t // a pointer to a nullable type decodes to nil
		}
		return reflect.PointerTo(t)
	case 1, 2:
		return reflect.SliceOf(g.goType(depth - 1))
	case 3:
		return reflect.ArrayOf(g.IntN(3), g.goType(depth-1))
	case 4:
		keys := []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[int8](), reflect.TypeFor[uint64](), reflect.TypeFor[netip.Addr]()}
		return reflect.MapOf(keys[g.IntN(len(keys))], g.goType(depth-1))
	case 5, 6:
		return g.structType(depth - 1)
	default:
		return g.leaf()
	}
}

func (g generator) structType(depth int) reflect.Type {
	fields := make([]reflect.StructField, g.IntN(5)+1)
	for i := range fields {
		t := g.goType(depth)
		if g.IntN(6) == 0 {
			t = optionalTypes[g.IntN(len(optionalTypes))]
		}
		tag := fmt.Sprintf("f%d", i)
		switch kind := t.Kind(); g.IntN(5) {
		case 0:
			tag += ",omitempty"
			if kind == reflect.Struct || kind == reflect.Array { // not omitted by omitempty
				tag = strings.TrimSuffix(tag, "empty") + "zero"
			}
		case 1:
			tag += ",omitzero"
		case 2:
			if t == reflect.TypeFor[datetime.Duration]() {
				break // text
			}
			isText := kind == reflect.String && g.direction != reflectschema.DirectionStored // a mistake there
			if kind == reflect.Bool || reflect.Int <= kind && kind <= reflect.Float64 || isText || t == reflect.TypeFor[json.Number]() {
				tag += ",string"
			}
		}
		fields[i] = reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: t, Tag: reflect.StructTag(`json:"` + tag + `"`)}
	}
	return reflect.StructOf(fields)
}

// fill sets v to a random value, with containers up to a depth. A pointer may be nil if an input can omit it; absent
// reports whether v is a member. Containers are nil or nonempty, as omitzero distinguishes empty containers from nil,
// which JSON does not.
func (g generator) fill(v reflect.Value, depth int, absent bool) {
	switch v.Type() {
	case reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(g.Int64N(1<<37), g.Int64N(1e9)).UTC()))
		return
	case reflect.TypeFor[json.Number]():
		v.SetString(fmt.Sprintf("%d.%de%d", g.IntN(99), g.IntN(99), g.IntN(40)-20))
		return
	case reflect.TypeFor[json.RawMessage]():
		data, _ := json.Marshal(g.any(2))
		v.SetBytes(data)
		return
	case reflect.TypeFor[datetime.Date]():
		v.Set(reflect.ValueOf(datetime.DateOf(time.Unix(g.Int64N(1<<37), 0).UTC())))
		return
	case reflect.TypeFor[netip.Addr]():
		v.Set(reflect.ValueOf(netip.AddrFrom4([4]byte{10, byte(g.IntN(4)), 0, byte(g.IntN(256))})))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(g.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(g.Uint64()) >> g.IntN(64) << (64 - v.Type().Bits()) >> (64 - v.Type().Bits()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(g.Uint64() >> g.IntN(64) << (64 - v.Type().Bits()) >> (64 - v.Type().Bits()))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(g.float(v.Type().Bits()))
	case reflect.String:
		v.SetString(g.text())
	case reflect.Interface:
		if x := g.any(2); x != nil {
			v.Set(reflect.ValueOf(x))
		}
	case reflect.Pointer:
		if depth > 0 && g.IntN(3) > 0 || (!absent && g.direction == reflectschema.DirectionInput) {
			v.Set(reflect.New(v.Type().Elem()))
			g.fill(v.Elem(), depth-1, false)
		}
	case reflect.Slice:
		if n := g.IntN(3); n > 0 && depth > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		g.each(v, depth)
	case reflect.Array:
		g.each(v, depth)
	case reflect.Map:
		n := g.IntN(3)
		if n == 0 || depth <= 0 {
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		for range n {
			key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			g.fill(key, depth-1, false)
			g.fill(elem, depth-1, false)
			v.SetMapIndex(key, elem)
		}
	default: // a struct
		for i := range v.NumField() {
			g.fill(v.Field(i), depth-1, true)
		}
	}
}

func (g generator) each(v reflect.Value, depth int) {
	for i := range v.Len() {
		g.fill(v.Index(i), depth-1, false)
	}
}

func (g generator) float(bits int) float64 {
	for {
		f := math.Float64frombits(g.Uint64())
		if bits == 32 {
			f = float64(math.Float32frombits(g.Uint32()))
		}
		if !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f
		}
	}
}

func (g generator) text() string {
	var b strings.Builder
	for range g.IntN(6) {
		b.WriteRune([]rune("abcZ09 \"\\/\n\x00<>&é漢😀\u2028\ufffd")[g.IntN(20)])
	}
	return b.String()
}

// any returns a value as encoding/json decodes JSON.
func (g generator) any(depth int) any {
	switch n := g.IntN(8); {
	case n == 0:
		return nil
	case n == 1:
		return g.IntN(2) == 0
	case n < 4:
		return float64(g.IntN(2000)-1000) / 8
	case n < 6 || depth == 0:
		return g.text()
	case n == 6:
		list := make([]any, g.IntN(3))
		for i := range list {
			list[i] = g.any(depth - 1)
		}
		return list
	default:
		obj := map[string]any{}
		for range g.IntN(3) {
			obj[g.text()] = g.any(depth - 1)
		}
		return obj
	}
}

// mutate replaces one JSON value in data, or a bit of text.
func (g generator) mutate(data []byte) []byte {
	replacements := []string{
		"null", "true", "0", "-1", "3.0", "1e2", "2.5", "300", "-9223372036854775809", "18446744073709551616", "1e400", `""`, `"x"`, `"1"`, `"aGk="`,
		`"2026-02-30T00:00:00Z"`, "[]", "[null]", "[1,2,3,4]", "{}", `{"f0":null}`, `{"1":null,"x":1}`, "", ",", `"f0":1,`,
	}
	marks := []byte(`:,[]{}`)
	at := g.IntN(len(data) + 1)
	for at < len(data) && bytes.IndexByte(marks, data[at]) < 0 {
		at++
	}
	end := min(at+1, len(data))
	for end < len(data) && bytes.IndexByte(marks, data[end]) < 0 {
		end++
	}
	return append(append(append([]byte{}, data[:min(at+1, len(data))]...), replacements[g.IntN(len(replacements))]...), data[end:]...)
}
