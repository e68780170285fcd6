package main

import (
	"math"
	"slices"
)

// A grade is a word for every figure below a bound and not below the bound of
// the grade before it.
type grade struct {
	below float64
	word  string
}

// The words for the mean temperature in °C, and for the precipitation of an
// average month in mm.
var (
	warmth  = []grade{{0, "freezing"}, {10, "cold"}, {18, "mild"}, {25, "warm"}, {math.Inf(1), "hot"}}
	wetness = []grade{{30, "dry"}, {100, "moderately wet"}, {math.Inf(1), "wet"}}
)

// conditions puts a normal into words, as "mild and wet". It follows from the
// figures alone: one word of warmth, one of wetness.
func conditions(n normal) string {
	return word(warmth, n.mean()) + " and " + word(wetness, n.precipitation/float64(n.months))
}

func word(grades []grade, figure float64) string {
	i := slices.IndexFunc(grades, func(g grade) bool { return figure < g.below })
	return grades[i].word
}
