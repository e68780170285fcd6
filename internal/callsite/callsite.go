package callsite

import (
	"runtime"
	"strconv"
	"strings"
)

// maxFrames is how far up the stack a caller is looked for. Ours are few.
const maxFrames = 16

// Outside returns the file:line of the innermost func on the stack that is not of the
// package with this import path, "unknown" when there is none. Walking the stack is surer
// than counting frames, which inlining and instances of generic funcs shift.
func Outside(pkg string) string {
	var pcs [maxFrames]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		frame, more := frames.Next()
		switch {
		case frame.File == "":
			return "unknown"
		case !strings.HasPrefix(frame.Function, pkg+"."):
			return frame.File + ":" + strconv.Itoa(frame.Line)
		case !more:
			return "unknown"
		}
	}
}
