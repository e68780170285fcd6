package figure_test

import (
	"slices"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/figure"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		values []float64
		want   figure.Figure
		ok     bool
	}{
		{"odd", []float64{3, 1, 2}, figure.Figure{Median: 2, Least: 1, Most: 3}, true},
		{"even", []float64{4, 1, 2, 3}, figure.Figure{Median: 2.5, Least: 1, Most: 4}, true},
		{"none", nil, figure.Figure{}, false},
		{"nothing measured", []float64{0, 0}, figure.Figure{}, false},
	} {
		before := slices.Clone(test.values)
		if got, ok := figure.Of(test.values); got != test.want || ok != test.ok {
			t.Errorf("%s: got %v, %t", test.name, got, ok)
		}
		if !slices.Equal(before, test.values) {
			t.Errorf("%s: the values have been sorted in place, and rounds no longer match", test.name)
		}
	}
}

func TestRatios(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name             string
		values, to, want []float64
	}{
		{"round by round", []float64{2, 9}, []float64{1, 3}, []float64{2, 3}},
		{"a round without", []float64{2, 0, 9}, []float64{0, 1, 3}, []float64{3}},
		{"other rounds", []float64{2}, []float64{1, 3}, nil},
	} {
		if got := figure.Ratios(test.values, test.to); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v", test.name, got)
		}
	}
}

func TestFormat(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		figure.Time(9312):     "9.3 µs",
		figure.Time(4e6):      "4 ms",
		figure.Time(1.25e9):   "1.2 s",
		figure.Time(400):      "0.40 µs",
		figure.Bytes(21.6e6):  "22 MB",
		figure.Count(1234567): "1 234 567",
		figure.Count(987):     "987",
		figure.Count(2.04):    "2",
		figure.Ratio(0.123):   "0.12×",
		figure.Ratio(10.4):    "10×",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
