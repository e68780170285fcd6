package main

import (
	"math"
	"slices"
)

// A grade is a word for figures below a bound that are not below the bound of
// the previous grade.
type grade struct {
	below float64
	word  string
}

// Words for the mean temperature in °C, and for the average monthly
// precipitation in mm.
var (
	warmth  = []grade{{0, "freezing"}, {10, "cold"}, {18, "mild"}, {25, "warm"}, {math.Inf(1), "hot"}}
	wetness = []grade{{30, "dry"}, {100, "moderately wet"}, {math.Inf(1), "wet"}}
)

// conditions describes a normal, as in "mild and wet": one word for warmth, one
// for wetness.
func conditions(n normal) string {
	return word(warmth, n.mean()) + " and " + word(wetness, n.precipitation/float64(n.months))
}

func word(grades []grade, figure float64) string {
	i := slices.IndexFunc(grades, func(g grade) bool { return figure < g.below })
	return grades[i].word
}
