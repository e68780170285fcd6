//go:build !race

package hostile_test

const underRace = false

// floods is the number of calls in a flood.
const floods = 100_000
