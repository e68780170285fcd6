package fatalpanic

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// exitStatus is that of a Go program which ends with a panic.
const exitStatus = 2

// Exit is for the Error methods of values that funcs of a package panic with. If Error was called
// because nobody has recovered such a panic, Exit ends the program with the text on standard error
// and with the exit status of a panic. Otherwise it does nothing. The import path is that of the package.
//
// Only the runtime knows that a panic is not recovered: after all deferred calls it calls Error, on the
// goroutine that has panicked, and then prints the text and the stack. [runtime/debug.SetTraceback] cannot
// leave out the stack, because a level below that of the environment, by default "single", is ignored.
//
// If the environment sets GOTRACEBACK, somebody wants to see the stack, and the panic is left alone. So is
// one that others panic with again, as package testing does.
func Exit(pkg, text string) {
	if os.Getenv("GOTRACEBACK") == "" && unrecovered(pkg) {
		fmt.Fprintln(os.Stderr, text) //nolint:forbidigo // in place of the runtime, which would print it next
		os.Exit(exitStatus)           //nolint:forbidigo // likewise
	}
}

// unrecovered reports whether the stack is that of a panic in the package that nobody has
// recovered: Error methods, the runtime that prints, the runtime that panics, the package.
func unrecovered(pkg string) bool {
	const maxFrames = 1000 // a panic beyond them is not looked for
	var pcs [maxFrames]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])]) // from Error on
	isOwn := func(f *runtime.Frame) bool { return strings.HasPrefix(f.Function, pkg+".") }

	frame, more := frames.Next()
	for more && isOwn(&frame) {
		frame, more = frames.Next()
	}
	for _, name := range []string{"runtime.preprintpanics", "runtime.gopanic"} {
		if frame.Function != name {
			return false
		}
		frame, _ = frames.Next()
	}
	if !isOwn(&frame) {
		return false
	}
	for more = true; more; { // a deferred call, perhaps, while another panic goes on, which is what is to be seen
		if frame, more = frames.Next(); frame.Function == "runtime.gopanic" {
			return false
		}
	}
	return true
}
