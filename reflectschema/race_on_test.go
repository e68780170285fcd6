//go:build race

package reflectschema_test

// underRace says that the race detector runs, which drops what sync.Pool keeps,
// at random: what is allocated then says nothing.
const underRace = true
