// Package callsite finds the location in an author's code that called into the
// framework, for error messages.
package callsite

import (
	"runtime"
	"strconv"
	"strings"
)

// maxFrames is the maximum number of stack frames searched for a caller. The framework has few on
// the stack.
const maxFrames = 8

// Site is the location of a call. It is cheap to record and expensive to format. It is immutable.
type Site struct {
	pkg string
	n   int
	pcs [maxFrames]uintptr
}

// Here returns the location of the innermost func on the stack outside the package with this import path. Walking the stack
// is more reliable than counting frames, which inlining and instances of generic funcs shift.
func Here(pkg string) *Site {
	s := &Site{pkg: pkg}
	s.n = runtime.Callers(2, s.pcs[:])
	return s
}

// String returns the location as file:line, or "unknown".
func (s *Site) String() string {
	frames := runtime.CallersFrames(s.pcs[:s.n])
	for {
		frame, more := frames.Next()
		switch {
		case frame.File == "":
			return "unknown"
		case !strings.HasPrefix(frame.Function, s.pkg+"."):
			return frame.File + ":" + strconv.Itoa(frame.Line)
		case !more:
			return "unknown"
		}
	}
}
