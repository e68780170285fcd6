package reflectschema_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/reflectschema"
)

type (
	defaulted struct {
		Verbose bool             `json:"verbose,omitempty" jsonschema:"default=true"`
		N       int              `json:"n,omitempty" jsonschema:"default=5"`
		Zero    float64          `json:"zero,omitzero" jsonschema:"default=2.5"`
		Text    string           `json:"text,omitempty" jsonschema:"default=x"`
		List    []int            `json:"list,omitempty" jsonschema:"default=1,default=2"`
		Any     any              `json:"any,omitempty" jsonschema:"default=7"`
		At      time.Time        `json:"at,omitzero" jsonschema:"default=2026-01-02T03:04:05Z"`
		Plain   string           `json:"plain,omitempty"`
		Inner   defaultedInside  `json:"inner,omitzero"`
		Inside  *defaultedInside `json:"inside,omitempty"`
	}
	defaultedInside struct {
		Unit string `json:"unit" jsonschema:"default=celsius"`
	}
	defaultedNil struct {
		Pointer  *int   `json:"pointer,omitempty" jsonschema:"default=5"`
		Nullable *int   `json:"nullable,omitzero" jsonschema:"default=5,nullable"`
		Union    Target `json:"union,omitempty" jsonschema:"default={\"kind\":\"disk\"\\,\"path\":\"/\"}"`
	}
	defaultedBelow struct {
		*DefaultedPart
		Own int `json:"own,omitempty"`
	}
	DefaultedPart struct {
		Part int `json:"part,omitempty" jsonschema:"default=5"`
	}
)

// TestDefaultIsNotLeftOut: a member with a default is written even if it is empty, as a reader would use the default
// for a missing member.
func TestDefaultIsNotLeftOut(t *testing.T) {
	t.Parallel()
	empty := `"verbose":false,"n":0,"zero":0,"text":"","list":[],"any":null,"at":"0001-01-01T00:00:00Z"`
	for d, want := range map[reflectschema.Direction]string{
		reflectschema.DirectionInput:  `{` + empty + `,"inner":{"unit":""}}`, // the default would be used for a missing inner
		reflectschema.DirectionOutput: `{` + empty + `}`,
		reflectschema.DirectionStored: `{` + empty + `}`,
	} {
		readsBack(t, d, defaulted{List: []int{}}, want)
	}
	readsBack(t, reflectschema.DirectionOutput, defaultedNil{}, `{"pointer":null,"nullable":null,"union":null}`)
	readsBack(t, reflectschema.DirectionStored, defaultedNil{}, `{"pointer":null,"nullable":null,"union":null}`)
	five := 5
	notGiven := defaultedNil{Pointer: &five, Union: Disk{Path: "/"}} // an input expresses nil by an absent member
	if got := writeRead(t, reflectschema.DirectionInput, defaultedNil{}, `{"nullable":null}`); !cmp.Equal(got, notGiven) {
		t.Error(cmp.Diff(notGiven, got))
	}
	readsBack(t, reflectschema.DirectionOutput, defaultedBelow{}, `{}`)
	readsBack(t, reflectschema.DirectionStored, defaultedBelow{}, `{}`)
	readsBack(t, reflectschema.DirectionOutput, defaultedBelow{DefaultedPart: &DefaultedPart{}}, `{"part":0}`)
}

// TestDefaultBelowNil: an output has no default for a member that a nil embedded pointer omits.
func TestDefaultBelowNil(t *testing.T) {
	t.Parallel()
	for d, want := range map[reflectschema.Direction]bool{reflectschema.DirectionInput: true, reflectschema.DirectionOutput: false} {
		schema := string(compileDirection[defaultedBelow](t, d).Schema().JSON())
		if got := strings.Contains(schema, `"default":5`); got != want {
			t.Errorf("direction %v: default in the schema: got %v, want %v: %s", d, got, want, schema)
		}
	}
}

// TestDefaultStillOptional: a member that is always written is not required.
func TestDefaultStillOptional(t *testing.T) {
	t.Parallel()
	for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput, reflectschema.DirectionStored} {
		typ := compileDirection[defaulted](t, d)
		var got defaulted
		if err := typ.Decode([]byte(`{}`), reflect.ValueOf(&got).Elem()); err != nil {
			t.Errorf("direction %v: %v", d, err)
		}
		if !got.Verbose || got.N != 5 || got.Zero != 2.5 || got.Text != "x" || len(got.List) != 2 || got.At.IsZero() || got.Plain != "" {
			t.Errorf("direction %v: got %+v, want the defaults", d, got)
		}
	}
}

func readsBack[T any](t *testing.T, d reflectschema.Direction, v T, want string) {
	t.Helper()
	if diff := cmp.Diff(v, writeRead(t, d, v, want)); diff != "" {
		t.Errorf("direction %v: %T (-wrote +read):\n%s", d, v, diff)
	}
}

func writeRead[T any](t *testing.T, d reflectschema.Direction, v T, want string) (back T) {
	t.Helper()
	typ := compileDirection[T](t, d)
	data, err := typ.AppendEncode(nil, reflect.ValueOf(&v).Elem())
	if err != nil || string(data) != want {
		t.Errorf("direction %v: wrote %s, %v; want %s", d, data, err, want)
		return v
	}
	if err := typ.Decode(data, reflect.ValueOf(&back).Elem()); err != nil {
		t.Errorf("direction %v: %s: %v", d, data, err)
	}
	return back
}

func compileDirection[T any](t *testing.T, d reflectschema.Direction) *reflectschema.Type {
	t.Helper()
	typ, err := reflectschema.CompileFor[T](d)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}
