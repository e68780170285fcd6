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

// integrations is the prefix of the import paths of packages that an author calls in place of the framework.
const integrations = "github.com/mcptool-go/mcptool/integrations/"

// Here returns the location of the innermost func on the stack outside the package with this import path and outside the
// integrations. Walking the stack is more reliable than counting frames, which inlining and instances of generic funcs
// shift.
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
		case !s.isInside(frame.Function):
			return frame.File + ":" + strconv.Itoa(frame.Line)
		case !more:
			return "unknown"
		}
	}
}

// isInside reports whether a func is in the package or in an integration, other than in its tests.
func (s *Site) isInside(function string) bool {
	base := strings.LastIndexByte(strings.SplitN(function, "[", 2)[0], '/') + 1
	name, _, _ := strings.Cut(function[base:], ".")
	pkg := function[:base] + name
	return pkg == s.pkg || strings.HasPrefix(pkg, integrations) && !strings.HasSuffix(pkg, "_test")
}
