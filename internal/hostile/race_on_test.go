//go:build race

package hostile_test

// underRace says that the race detector runs, which allocates for itself and drops what
// sync.Pool keeps.
const underRace = true

// floods is how many calls a flood has; here each takes ten times as long.
const floods = 10_000
