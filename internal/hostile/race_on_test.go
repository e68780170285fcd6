//go:build race

package hostile_test

// underRace reports whether the race detector runs, which allocates memory itself and
// drops items from sync.Pool.
const underRace = true

// floods is the number of calls in a flood; with the race detector each takes ten times
// as long.
const floods = 10_000
