//go:build !race

package hang

// slowdown is how many times as long an execution may take as without the race detector.
const slowdown = 1
