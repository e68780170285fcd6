//go:build !race

package reflectschema_test

const underRace = false
