package figure

import "slices"

// A Figure is the median, minimum and maximum of a measurement over several rounds. The zero Figure means no rounds.
type Figure struct {
	Median float64 `json:"median"`
	Least  float64 `json:"least"`
	Most   float64 `json:"most"`
}

// Of summarizes values. It returns false if there are none or all are 0, which means that nothing was measured.
func Of(values []float64) (Figure, bool) {
	if len(values) == 0 || slices.Max(values) == 0 {
		return Figure{}, false
	}
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	return Figure{(values[(n-1)/2] + values[n/2]) / 2, values[0], values[n-1]}, true
}

// Ratios divides each value by the value of the same round in another series, which cancels variation between rounds.
// It returns nil if the series differ in length, and skips rounds in which either value is missing.
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
