package callsite

import (
	"runtime"
	"strconv"
	"strings"
)

// maxFrames is how far up the stack a caller is looked for. Ours are few.
const maxFrames = 8

// Outside returns the file:line of the innermost func on the stack that is not of the
// package with this import path, "unknown" when there is none. Walking the stack is surer
// than counting frames, which inlining and instances of generic funcs shift.
func Outside(pkg string) string { return here(pkg).String() }

// Site is the place of a call, which takes little time to note and more to name. It is not changed.
type Site struct {
	pkg string
	n   int
	pcs [maxFrames]uintptr
}

// Here returns the place that [Outside] would return.
func Here(pkg string) *Site { return here(pkg) }

// here is Here for the caller of its caller.
func here(pkg string) *Site {
	s := &Site{pkg: pkg}
	s.n = runtime.Callers(3, s.pcs[:])
	return s
}

// String returns the place as file:line.
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
