package mcptool

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/mcptool-go/mcptool/internal/callsite"
)

// RegisterError lists all mistakes found by one call that defines or adds tools, prompts or resources, such as [New] or
// [Registry.Add]. [Register] and the like panic with it, the others return it.
type RegisterError struct {
	// Location is the file:line of the call.
	Location string
	// Mistakes lists the mistakes. It is never empty.
	Mistakes []Mistake
}

// Error lists the mistakes, one to a line.
func (e *RegisterError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "mcptool: %s at %s:", count(len(e.Mistakes), "mistake"), e.Location)
	for _, m := range e.Mistakes {
		b.WriteString("\n\t")
		b.WriteString(m.String())
	}
	return b.String()
}

// count formats a number of things: "one mistake", "2 mistakes".
func count(n int, thing string) string {
	if n == 1 {
		return "one " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// newRegisterError returns nil without mistakes. It reports a mistake in a type once, even if the type is
// reached by several paths, for example in arguments and in results.
func newRegisterError(location *callsite.Site, mistakes []Mistake) error {
	if len(mistakes) == 0 {
		return nil
	}
	return &RegisterError{Location: location.String(), Mistakes: distinct(mistakes)}
}

// distinct returns the mistakes without those that differ only in the path to the same field.
func distinct(mistakes []Mistake) (once []Mistake) {
	seen := make(map[Mistake]bool)
	for _, m := range mistakes {
		key := m
		if m.Field != "" {
			key.Path = ""
		}
		if !seen[key] {
			once = append(once, m)
		}
		seen[key] = true
	}
	return once
}

// defined returns what the author's call at a location has defined, or the error with its mistakes.
func defined[T any](location *callsite.Site, item T, mistakes []Mistake) (T, error) {
	if err := newRegisterError(location, mistakes); err != nil {
		return *new(T), err
	}
	return item, nil
}

// callerLocation returns the location of the author's call.
func callerLocation() *callsite.Site { return callsite.Here(ownPackage) }

// ownPackage is the import path of this package.
var ownPackage = reflect.TypeFor[Mistake]().PkgPath()
