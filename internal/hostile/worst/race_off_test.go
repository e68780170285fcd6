//go:build !race

package main

// underRace reports whether the race detector runs, which takes several times the
// memory.
const underRace = false
