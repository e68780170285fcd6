//go:build race

package reflectschema_test

// underRace reports that the race detector is enabled. It drops items of sync.Pool at random, so allocations are not
// comparable.
const underRace = true
