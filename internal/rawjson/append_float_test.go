package rawjson_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/internal/testing/testscale"
)

// FuzzFloat compares encoded floats with encoding/json.
func FuzzFloat(f *testing.F) {
	for _, v := range []float64{
		0, math.Copysign(0, -1), 1, -1, 0.5, 0.001, -0.001, 0.0005, 0.0004, 0.0015, 0.3, 1.005, 2.675, 21.5, -12.25, 0.1 + 0.2,
		999999999999.999, 999999999999.9999, 1e12, 1e12 + 0.5, 1e15 - 1, 1e15, 1 << 53, 1e20, 1e21, 1e-6, 1e-7,
		1<<24 - 1, 1 << 24, math.Nextafter(1e-6, 0), math.Nextafter(1e21, 0), float64(math.Nextafter32(1e-6, 0)), float64(math.Nextafter32(1e21, 0)), -1.5e-9, -1e-10, 1e100, 1e-100, math.MaxFloat32, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1), math.NaN(),
	} {
		f.Add(math.Float64bits(v))
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, bits uint64) {
		defer watch()()
		floatAgrees(t, math.Float64frombits(bits))
	})
}

// floatAgrees compares one float, and the nearest float32, with encoding/json.
func floatAgrees(t *testing.T, f float64) {
	t.Helper()
	single := float32(f)
	for _, test := range []struct {
		got   []byte
		value any
	}{
		{rawjson.AppendFloat(nil, f), f},
		{rawjson.AppendFloat32(nil, single), single},
	} {
		want, err := json.Marshal(test.value)
		if err != nil {
			want = []byte("null")
		}
		if string(test.got) != string(want) {
			t.Errorf("%T %v is written %s, by encoding/json %s", test.value, test.value, test.got, want)
		}
	}
}

// TestFloats compares floats with few digits and their neighbors, where the fast path ends.
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
