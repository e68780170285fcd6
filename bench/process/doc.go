// Package process reads what a running process has cost so far: processor time and
// memory, of the process alone or with everything it has started. It knows how on Linux,
// and says so elsewhere.
package process
