package reflectschema_test

import (
	"math/big"
	"reflect"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// TestDecodeBigInt tests spellings of integers that the schema of big.Int allows, but its UnmarshalJSON refuses.
func TestDecodeBigInt(t *testing.T) {
	t.Parallel()
	type numbers struct {
		N big.Int    `json:"n"`
		P []*big.Int `json:"p"`
	}
	typ, err := reflectschema.Compile(reflect.TypeFor[numbers](), reflectschema.DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ number, want, reason string }{
		{"-7", "-7", "digits"},
		{"3.0", "3", "a zero fraction"},
		{"-0.0", "0", "negative zero"},
		{"1e2", "100", "an exponent"},
		{"1234.5e30", "1234500000000000000000000000000000", "beyond 64 bits"},
		{"2.5", "", "not whole"},
		{"25e-1", "", "not whole"},
	} {
		t.Run(tt.number, func(t *testing.T) {
			t.Parallel()
			data := []byte(`{"n":` + tt.number + `,"p":[` + tt.number + `]}`)
			var got numbers
			err := typ.Decode(data, reflect.ValueOf(&got).Elem())
			switch {
			case (err == nil) != (tt.want != ""):
				t.Errorf("Decode(%s): %v; %s", data, err, tt.reason)
			case err == nil && (got.N.String() != tt.want || got.P[0].String() != tt.want):
				t.Errorf("Decode(%s) = %v, %v, want %s: %s", data, &got.N, got.P[0], tt.want, tt.reason)
			}
		})
	}
}
