package reflectschema

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/mcptool-go/mcptool/internal/hang"
	"github.com/mcptool-go/mcptool/internal/testscale"
)

// FuzzFloat holds floats as the plan writes them against encoding/json.
func FuzzFloat(f *testing.F) {
	for _, v := range []float64{
		0, math.Copysign(0, -1), 1, -1, 0.5, 0.001, -0.001, 0.0005, 0.0004, 0.0015, 0.3, 1.005, 2.675, 21.5, -12.25, 0.1 + 0.2,
		999999999999.999, 999999999999.9999, 1e12, 1e12 + 0.5, 1e15 - 1, 1e15, 1 << 53, 1e20, 1e21, 1e-6, 1e-7,
		1<<24 - 1, 1 << 24, math.MaxFloat32, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1), math.NaN(),
	} {
		f.Add(math.Float64bits(v))
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, bits uint64) {
		defer watch()()
		floatAgrees(t, math.Float64frombits(bits))
	})
}

// floatAgrees is what FuzzFloat does with one float, and with the float32 next to it.
func floatAgrees(t *testing.T, f float64) {
	t.Helper()
	free := plan{free: true, above: math.Inf(-1), below: math.Inf(1)}
	for _, way := range []struct {
		name   string
		encode func(e *encoder, dst []byte, f float64) ([]byte, bool)
		value  any
	}{
		{"float64", free.encodeFloat, f},
		{"float32", free.encodeSingle, float32(f)},
	} {
		if single, ok := way.value.(float32); ok {
			f = float64(single)
		}
		got, ok := way.encode(&encoder{most: math.MaxInt}, nil, f)
		want, err := json.Marshal(way.value)
		if ok != (err == nil) || ok && string(got) != string(want) {
			t.Errorf("%s %v is written %s (%t), by encoding/json %s (%v)", way.name, way.value, got, ok, want, err)
		}
	}
}

// TestFloats does what FuzzFloat does with floats that have few digits, and with their neighbours:
// where the short way ends.
func TestFloats(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range testscale.Count(20_000) {
		number := strconv.FormatInt(random.Int64()>>random.IntN(64), 10) + "e-" + strconv.Itoa(random.IntN(6))
		f, err := strconv.ParseFloat(number, 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, near := range []float64{f, math.Nextafter(f, math.Inf(1)), math.Nextafter(f, math.Inf(-1))} {
			floatAgrees(t, near)
		}
	}
}
