package verdict

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// filler generates Go values, occasionally without a JSON representation.
type filler struct {
	*rand.Rand
	hints *hints
}

// deepest is the maximum nesting depth of generated values, since types may be recursive.
const deepest = 5

// fill sets v to an arbitrary value, with containers up to a depth.
func (f filler) fill(v reflect.Value, depth int) {
	if f.fillKnown(v) {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		shift := 64 - v.Type().Bits()
		v.SetInt(f.whole() << shift >> shift)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		shift := 64 - v.Type().Bits()
		v.SetUint(uint64(f.whole()) << shift >> shift)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(f.float())
	case reflect.String:
		v.SetString(f.text())
	case reflect.Interface:
		if v.NumMethod() == 0 && f.IntN(4) > 0 {
			v.Set(reflect.ValueOf(f.any(2)))
		}
	case reflect.Pointer:
		if depth > 0 && f.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem(), depth-1)
		}
	case reflect.Slice:
		if n := f.count(depth); n >= 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		f.fillAll(v, depth)
	case reflect.Array:
		f.fillAll(v, depth)
	case reflect.Map:
		f.fillMap(v, depth)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				f.fill(v.Field(i), depth-1)
			}
		}
	default:
	}
}

// count returns a number of elements, or -1 for nil.
func (f filler) count(depth int) int {
	switch {
	case depth <= 0 || f.IntN(6) == 0:
		return -1
	case f.IntN(3) == 0:
		return min(pick(f.Rand, f.hints.counts), 8)
	default:
		return f.IntN(3)
	}
}

func (f filler) fillAll(v reflect.Value, depth int) {
	for i := range v.Len() {
		f.fill(v.Index(i), depth-1)
	}
}

func (f filler) fillMap(v reflect.Value, depth int) {
	n := f.count(depth)
	if n < 0 {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for range n {
		key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key, depth-1)
		f.fill(elem, depth-1)
		v.SetMapIndex(key, elem)
	}
}

// fillKnown sets v if it has a type that must not be filled field by field.
func (f filler) fillKnown(v reflect.Value) bool {
	switch v.Type() {
	case reflect.TypeFor[time.Time]():
		t := time.Unix(f.Int64N(1<<33), f.Int64N(1e9)).In(time.FixedZone("", 60*(f.IntN(2000)-1000)))
		if f.IntN(20) == 0 {
			t = t.AddDate(9000, 0, 0)
		}
		v.Set(reflect.ValueOf(t))
	case reflect.TypeFor[json.Number]():
		v.SetString(pick(f.Rand, []string{"0", "1", "-3", "12.5", "1e3", "1e400", "123456789012345678901234567890", "", "x", f.number()}))
	case reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte(pick(f.Rand, []string{"1", `"x"`, "null", `{"a":[1,{}]}`, "[]", " [ 1 ] ", `{"a":1,"a":2}`, "{", ""})))
	case reflect.TypeFor[big.Int]():
		n, _ := new(big.Int).SetString(pick(f.Rand, []string{"0", "-1", "7", "9223372036854775808", "123456789012345678901234567890"}), 10)
		v.Set(reflect.ValueOf(*n))
	case reflect.TypeFor[netip.Addr]():
		if f.IntN(8) > 0 {
			v.Set(reflect.ValueOf(netip.MustParseAddr(pick(f.Rand, []string{"10.0.0.1", "::1", "fe80::1%eth0", "::ffff:1.2.3.4"}))))
		}
	default:
		return false
	}
	return true
}

// number returns a number from the schema, or any other.
func (f filler) number() string {
	if len(f.hints.numbers) > 0 && f.IntN(3) > 0 {
		return pick(f.Rand, f.hints.numbers)
	}
	return strconv.Itoa(f.IntN(300) - 100)
}

func (f filler) whole() int64 {
	if n, err := strconv.ParseInt(f.number(), 10, 64); err == nil && f.IntN(3) > 0 {
		return n
	}
	return int64(f.Uint64()) >> f.IntN(64)
}

func (f filler) float() float64 {
	switch n, err := strconv.ParseFloat(f.number(), 32); {
	case f.IntN(50) == 0:
		return pick(f.Rand, []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)})
	case err == nil && f.IntN(3) > 0:
		return n
	default:
		return float64(math.Float32frombits(f.Uint32()))
	}
}

func (f filler) text() string {
	if len(f.hints.texts) > 0 && f.IntN(2) == 0 {
		return (&node{text: pick(f.Rand, f.hints.texts)}).str()
	}
	length := f.IntN(5)
	if f.IntN(2) == 0 {
		length = min(pick(f.Rand, f.hints.counts), 20)
	}
	s := make([]rune, length)
	for i := range s {
		s[i] = pick(f.Rand, []rune("aaabcZ09 \"\\/\n\x00<>&é漢😀\u2028\ufffd"))
	}
	if f.IntN(50) == 0 {
		return string(s) + "\xff"
	}
	return string(s)
}

// any returns a value as decoded by encoding/json into an any.
func (f filler) any(depth int) any {
	switch n := f.IntN(8); {
	case n == 0:
		return false
	case n < 4:
		return float64(f.IntN(2000)-1000) / 8
	case n < 6 || depth == 0:
		return f.text()
	case n == 6:
		list := make([]any, f.IntN(3))
		for i := range list {
			list[i] = f.any(depth - 1)
		}
		return list
	default:
		object := map[string]any{}
		for range f.IntN(3) {
			object[f.text()] = f.any(depth - 1)
		}
		return object
	}
}

// disturb sets a random part of v to an arbitrary value.
func (f filler) disturb(v reflect.Value, depth int) {
	var inside []reflect.Value
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.Kind() == reflect.Pointer && !v.IsNil() {
			inside = append(inside, v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			inside = append(inside, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				inside = append(inside, v.Field(i))
			}
		}
	default:
	}
	if len(inside) == 0 || depth < deepest && f.IntN(3) == 0 {
		f.fill(v, min(depth, 2))
		return
	}
	f.disturb(pick(f.Rand, inside), depth-1)
}

// withoutNil returns a copy of v with nil slices and maps replaced by empty ones, so that the output of encoding/json
// is like handwritten JSON.
func withoutNil(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			c.Set(reflect.New(v.Type().Elem()))
			c.Elem().Set(withoutNil(v.Elem()))
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			break
		}
		c.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			c.Index(i).Set(withoutNil(v.Index(i)))
		}
	case reflect.Array:
		for i := range v.Len() {
			c.Index(i).Set(withoutNil(v.Index(i)))
		}
	case reflect.Map:
		c.Set(reflect.MakeMap(v.Type()))
		for _, key := range v.MapKeys() {
			c.SetMapIndex(key, withoutNil(v.MapIndex(key)))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if c.Field(i).CanSet() {
				c.Field(i).Set(withoutNil(v.Field(i)))
			}
		}
	default:
	}
	return c
}

// hasTag reports whether a field of a type, or of a type in it, has a json tag with an option.
func hasTag(t reflect.Type, option string, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return hasTag(t.Elem(), option, seen)
	case reflect.Interface:
		return t.NumMethod() > 0 // the members of a union may have it
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); strings.Contains(f.Tag.Get("json"), ","+option) || hasTag(f.Type, option, seen) {
				return true
			}
		}
	default:
	}
	return false
}
