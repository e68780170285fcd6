package reflectschema_test

import (
	"encoding/json"
	"math/big"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema"
)

type zeroer struct{ N int }

func (z *zeroer) IsZero() bool { return z.N == 0 }

type loop struct{ *Link }

type Link struct{ Again loop }

func TestCallsMethods(t *testing.T) {
	t.Parallel()
	type holds[T any] struct{ Field T }
	for _, test := range []struct {
		name   string
		value  any
		want   bool
		reason string
	}{
		{"plain", struct {
			S string
			F []float64
			T time.Time
			A any
			R json.RawMessage
		}{}, false, "all that is read and written without the author's code"},
		{"text", netip.Addr{}, true, "UnmarshalText is called on it"},
		{"field", holds[big.Int]{}, true, "a method of a field gets a pointer into the struct"},
		{"array", holds[[2]big.Int]{}, true, "its elements are part of the struct"},
		{"nested", holds[holds[big.Int]]{}, true, ""},
		{"pointer", holds[*big.Int]{}, false, "its target is not part of the struct"},
		{"slice", holds[[]big.Int]{}, false, "elements of a slice are not part of the struct"},
		{"map", holds[map[string]big.Int]{}, false, "values of a map are not part of the struct"},
		{"omitzero", struct {
			Z zeroer `json:",omitzero"`
		}{}, true, "IsZero is called on the field"},
		{"embeds itself", loop{}, false, "the search terminates"},
	} {
		typ, err := reflectschema.Compile(reflect.TypeOf(test.value), reflectschema.DirectionInput)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := typ.CallsMethods(); got != test.want {
			t.Errorf("%s: CallsMethods = %t, want %t: %s", test.name, got, test.want, test.reason)
		}
	}
}
