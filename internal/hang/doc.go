// Package hang makes a fuzz target fail at an input that takes longer than a second. The go
// command gives it ten, by the clock.
//
//	watch := hang.Watch(f)
//	f.Fuzz(func(t *testing.T, data []byte) {
//		defer watch()()
//		…
//	})
//
// What counts is the processor time of the process while one execution runs, so that a
// machine with much else to do, or a process stopped for a while, looks like no hang. An
// execution that waits for something that never comes uses none; it is given longer.
// The process ends with the stacks of all goroutines, and the go command keeps the input
// that did it.
package hang
