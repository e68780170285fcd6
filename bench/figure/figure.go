package figure

import "slices"

// A Figure is the median of what the rounds of a measurement gave, and the least and the most.
// The zero Figure is of no round.
type Figure struct {
	Median float64 `json:"median"`
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
}

// Of sums values up. It returns false if there are none, and if all are 0: nothing was
// measured then.
func Of(values []float64) (Figure, bool) {
	if len(values) == 0 || slices.Max(values) == 0 {
		return Figure{}, false
	}
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	return Figure{(values[(n-1)/2] + values[n/2]) / 2, values[0], values[n-1]}, true
}

// Ratios divides each value by the one of the same round in another series: what changes
// from one round to the next concerns both. It returns nil if the series are not of the same
// rounds, and leaves out rounds in which one of the two has nothing.
func Ratios(values, to []float64) []float64 {
	if len(values) != len(to) {
		return nil
	}
	ratios := make([]float64, 0, len(values))
	for i := range values {
		if values[i] != 0 && to[i] != 0 {
			ratios = append(ratios, values[i]/to[i])
		}
	}
	return ratios
}
