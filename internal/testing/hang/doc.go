// Package hang makes a fuzz target fail at an input that takes longer than a second of processor time. The go command alone
// fails after ten seconds of wall time.
//
//	watch := hang.Watch(f)
//	f.Fuzz(func(t *testing.T, data []byte) {
//		defer watch()()
//		…
//	})
//
// The limit is for the processor time of the process during one execution, so that a busy machine or a suspended process is
// not taken for a hang. An execution that waits forever uses no processor time; it has a longer limit. The process exits with
// the stacks of all goroutines, and the go command keeps the input.
package hang
