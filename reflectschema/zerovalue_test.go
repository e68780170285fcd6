package reflectschema_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"net/netip"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// Types that differ in the encoding of their zero value.
type (
	zeroTime    struct{ time.Time }  // null, as metav1.Time
	zeroFails   struct{ n int }      // an error
	zeroPanics  struct{ n int }      // a panic
	zeroCounted struct{ n int }      // counts the calls, and is not registered
	zeroKind    string               // without methods
	zeroCode    string               // text of kind string
	zeroAddr    struct{ netip.Addr } // empty text
	zeroNull    sql.Null[int]        // with registered functions

	zeroShape interface{ isZeroShape() }
	zeroArm   struct {
		At zeroTime `json:"at"`
	}
)

func (zeroArm) isZeroShape() {}

func (x zeroTime) MarshalJSON() ([]byte, error) {
	if x.IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(x.Format(time.RFC3339))
}
func (x *zeroTime) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &x.Time) }

func (x zeroFails) MarshalText() ([]byte, error) { return nil, errors.New("no value") }
func (x *zeroFails) UnmarshalText([]byte) error  { return nil }

func (x zeroPanics) MarshalJSON() ([]byte, error) { panic("no value") }
func (x *zeroPanics) UnmarshalJSON([]byte) error  { return nil }

var zeroCalls atomic.Int32

func (x zeroCounted) MarshalJSON() ([]byte, error) { zeroCalls.Add(1); return []byte(`1`), nil }
func (x *zeroCounted) UnmarshalJSON([]byte) error  { zeroCalls.Add(1); return nil }

func (x zeroCode) MarshalText() ([]byte, error)     { return []byte(x), nil }
func (x *zeroCode) UnmarshalText(text []byte) error { *x = zeroCode(text); return nil }

// The registered schemas do not allow the zero values of these types.
func init() {
	reflectschema.RegisterSchema[zeroTime](`{"type":"string","format":"date-time"}`)
	reflectschema.RegisterSchema[zeroAddr](`{"type":"string","format":"ipv4"}`)
	reflectschema.RegisterSchema[zeroFails](`{"type":"string","minLength":3}`)
	reflectschema.RegisterSchema[zeroPanics](`{"type":"string"}`)
	reflectschema.RegisterSchema[zeroKind](`{"type":"string","minLength":3}`)
	reflectschema.RegisterSchema[zeroCode](`{"type":"string","pattern":"^[A-Z]{3}$"}`)
	reflectschema.RegisterCodec(`{"type":"string"}`,
		func(s *zeroNull) ([]byte, error) {
			if !s.Valid {
				return []byte("null"), nil
			}
			return []byte(`"x"`), nil
		},
		func([]byte, *zeroNull) error { return nil })
	reflectschema.RegisterUnion("kind", map[string]zeroShape{"arm": zeroArm{}})
}

// TestZeroValueOfRegistered compiles outputs with fields of registered types whose schema does not allow the zero
// value. This is a mistake only if the zero value would be encoded.
func TestZeroValueOfRegistered(t *testing.T) {
	t.Parallel()
	type nested struct {
		At zeroTime `json:"at"`
	}
	for _, tt := range []struct {
		name, reason string
		value        any
		want         string
	}{
		{"null", "a result without a time would be refused", struct {
			At zeroTime `json:"at"`
		}{}, "At (at): the zero value of reflectschema_test.zeroTime is written as null, which the schema registered for the type does not allow; allow it in the schema, or leave out the zero value with omitzero or a pointer"},
		{"text", "MarshalText", struct{ A zeroAddr }{}, `the zero value of reflectschema_test.zeroAddr is written as "", `},
		{"functions", "RegisterCodec", struct{ N zeroNull }{}, "the zero value of reflectschema_test.zeroNull is written as null, "},
		{"nested", "the location of the field", struct {
			In []nested `json:"in"`
		}{}, "At (in[].at): the zero value"},
		{"embedded", "the field of an embedded struct", struct{ zeroArm }{}, "(at): the zero value"},
		{"union", "a struct of a union", struct {
			S zeroShape `json:"s"`
		}{}, "zeroArm.At"},
		{"default", "a field with a default is written even if it is zero", struct {
			At zeroTime `json:"at,omitzero" jsonschema:"default=2026-01-31T09:30:00Z"`
		}{}, "the zero value"},

		{"omitzero", "left out", struct {
			At zeroTime `json:"at,omitzero"`
		}{}, ""},
		{"omitempty", "left out, because the kind is string", struct {
			C zeroCode `json:"c,omitempty"`
		}{}, ""},
		{"pointer", "nil is null, whatever the type", struct{ At *zeroTime }{}, ""},
		{"elements", "elements are explicit values", struct {
			L []zeroTime
			M map[string]zeroTime
		}{}, ""},
		{"error", "the zero value cannot be encoded", struct{ F zeroFails }{}, ""},
		{"panic", "the panic is contained", struct{ P zeroPanics }{}, ""},
		{"kind", "the zero value of a string is expected, as with minLength in a tag", struct{ K zeroKind }{}, ""},
		{"enum", "an enum excludes other values by design", struct{ G Grade }{}, ""},
		{"not registered", "its methods are not called", struct{ C zeroCounted }{}, ""},
		{"any", "the value in it is unknown", struct{ A any }{}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := reflectschema.Compile(reflect.TypeOf(tt.value), reflectschema.DirectionOutput)
			if (err == nil) != (tt.want == "") || err != nil && (!strings.Contains(err.Error(), tt.want) || strings.Count(err.Error(), "zero value of") != 1) {
				t.Errorf("output: got %v, want %q\n%s", err, tt.want, tt.reason)
			}
			for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionStored} {
				if _, err := reflectschema.Compile(reflect.TypeOf(tt.value), d); err != nil {
					t.Errorf("direction %d: got %v, want no error: only outputs are checked", d, err)
				}
			}
		})
	}
	t.Cleanup(func() {
		if n := zeroCalls.Load(); n > 0 {
			t.Errorf("methods of an unregistered type were called %d times", n)
		}
	})
}
