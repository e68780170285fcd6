package reflectschema

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/ijson"
)

// TestStoredGenerated: for generated types and values, everything that an input accepts can be stored, and decodes to
// an equal value.
func TestStoredGenerated(t *testing.T) {
	t.Parallel()
	types, read := 150, 0
	if testing.Short() {
		types = 40
	}
	for seed := range uint64(types) {
		g := generatedTypes{rand.New(rand.NewPCG(seed, 7))}
		goType := g.structure(3)
		in, err := Compile(goType, DirectionInput)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		stored, err := Compile(goType, DirectionStored)
		if err != nil {
			t.Fatalf("seed %d: an input that cannot be stored: %v", seed, err)
		}
		for i := range 20 {
			d := newDice([]byte{byte(seed), byte(i)})
			d.text(partOf(in), 0)
			v := reflect.New(goType).Elem()
			if in.Decode(d.out, v) != nil {
				continue
			}
			if storedAgrees(t, stored, v) {
				read++
			}
		}
	}
	if read < types*5 {
		t.Errorf("only %d values were compared", read)
	}
}

// storedAgrees checks that v decodes from its encoding, with the plan and on the slow path. It reports whether it could
// be encoded.
func storedAgrees(t *testing.T, typ *Type, v reflect.Value) bool {
	t.Helper()
	data, err := typ.AppendEncode(nil, v)
	if err != nil {
		t.Errorf("%v: %v\nvalue %+v", typ.goType, err, v)
		return false
	}
	encodeAgrees(t, typ, v)
	for name, decode := range map[string]func([]byte, reflect.Value) error{"decode": typ.Decode, "slow": func(data []byte, dst reflect.Value) error { _, err := typ.decodeSlow(data, dst, nil); return err }} {
		back := reflect.New(typ.goType).Elem()
		if err := decode(data, back); err != nil {
			t.Errorf("%v, %s: %s cannot be decoded: %v", typ.goType, name, data, err)
			continue
		}
		if !isSame(v, back) {
			t.Errorf("%v, %s: %s\nwas    %#v\nbecame %#v", typ.goType, name, data, v, back)
		}
	}
	return true
}

// sameJSON reports whether two JSON texts differ only in white space and escapes.
func sameJSON(a, b []byte) bool {
	x, errX := ijson.Compact(a)
	y, errY := ijson.Compact(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// isSame reports whether two values are equal except for differences that are not stored: nil slices and maps become
// empty, times lose their location, and a nil RawMessage becomes null.
func isSame(a, b reflect.Value) bool {
	switch a.Type() {
	case reflect.TypeFor[time.Time]():
		x, _ := reflect.TypeAssert[time.Time](a)
		y, _ := reflect.TypeAssert[time.Time](b)
		return x.Equal(y)
	case reflect.TypeFor[json.RawMessage]():
		return sameJSON(orNull(a.Bytes()), orNull(b.Bytes()))
	case reflect.TypeFor[json.Number]():
		return a.String() == b.String() || a.String() == "" && b.String() == "0"
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return a.Elem().Type() == b.Elem().Type() && isSame(a.Elem(), b.Elem())
	case reflect.Slice, reflect.Array:
		for i := range min(a.Len(), b.Len()) {
			if !isSame(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return a.Len() == b.Len()
	case reflect.Map:
		for iter := a.MapRange(); iter.Next(); {
			other := b.MapIndex(iter.Key())
			if !other.IsValid() || !isSame(iter.Value(), other) {
				return false
			}
		}
		return a.Len() == b.Len()
	case reflect.Struct:
		for i := range a.NumField() {
			if a.Type().Field(i).IsExported() && !isSame(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return a.Type().NumField() > 0 && a.Type().Field(0).IsExported() || reflect.DeepEqual(a.Interface(), b.Interface())
	default:
		return a.Equal(b)
	}
}

// orNull returns the compact JSON of a RawMessage.
func orNull(raw []byte) []byte {
	var b bytes.Buffer
	if len(raw) == 0 || json.Compact(&b, raw) != nil {
		return []byte("null")
	}
	return b.Bytes()
}
