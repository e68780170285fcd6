//go:build !race

package hostile_test

const underRace = false

// floods is how many calls a flood has.
const floods = 100_000
