package callsite

import (
	"runtime"
	"strconv"
	"strings"
)

// maxFrames is the maximum number of stack frames searched for a caller. The framework has few on
// the stack.
const maxFrames = 8

// Outside returns the file:line of the innermost func on the stack outside the package with this
// import path, or "unknown". Walking the stack is more reliable than counting frames, which
// inlining and instances of generic funcs shift.
func Outside(pkg string) string { return here(pkg).String() }

// Site is the location of a call. It is cheap to record and expensive to format. It is immutable.
type Site struct {
	pkg string
	n   int
	pcs [maxFrames]uintptr
}

// Here returns the location that [Outside] would return.
func Here(pkg string) *Site { return here(pkg) }

// here is Here for the caller of its caller.
func here(pkg string) *Site {
	s := &Site{pkg: pkg}
	s.n = runtime.Callers(3, s.pcs[:])
	return s
}

// String returns the location as file:line.
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
