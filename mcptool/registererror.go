package mcptool

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
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

// Mistake is one mistake in the definition of a tool, prompt or resource. Fields that do not apply are empty; Reason never is.
type Mistake struct {
	// Tool is the name of the tool or prompt, or the URI of the resource; the name of the func if there is none, or "func
	// literal".
	Tool string
	// Type is the Go type that contains the mistake, and Field the field of that type.
	Type, Field string
	// Path is the location in the JSON, such as items[].qty, or in the value of an option, such as icons[0].src.
	Path string
	// Tag is the wrong tag, or the wrong part of it, such as mcp:"name=a b" or minimun=1.
	Tag string
	// Reason describes what is wrong, and Fix how to correct it.
	Reason, Fix string
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

// String returns the mistake on one line: tool, location, tag, reason, fix.
func (m Mistake) String() string {
	var b strings.Builder
	place := m.Type
	if m.Field != "" {
		place += "." + m.Field
	}
	if m.Path != "" {
		place = strings.TrimSpace(place + " (" + m.Path + ")")
	}
	tag := m.Tag
	if tag != "" {
		tag = "`" + tag + "`"
	}
	for _, part := range []string{m.Tool, place, tag} {
		if part != "" {
			b.WriteString(part + ": ")
		}
	}
	b.WriteString(m.Reason)
	if m.Fix != "" {
		b.WriteString("; " + m.Fix)
	}
	return b.String()
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
var ownPackage = reflect.TypeFor[Tool]().PkgPath()

// findings collects mistakes while checks walk a value, whose current path is a prefix of their paths. At registration
// they are listed in a [RegisterError], in a result they are the reasons of an [*OutputError].
type findings struct {
	path     []byte
	mistakes []Mistake
}

// add notes a mistake in name below the current path; "" means the value at the path itself.
func (fs *findings) add(name, reason, fix string) {
	fs.within(name, func() {
		fs.mistakes = append(fs.mistakes, Mistake{Path: string(fs.path), Reason: reason, Fix: fix})
	})
}

// within runs check with name appended to the path.
func (fs *findings) within(name string, check func()) {
	length := len(fs.path)
	if length > 0 && name != "" && name[0] != '[' {
		fs.path = append(fs.path, '.')
	}
	fs.path = append(fs.path, name...)
	check()
	fs.path = fs.path[:length]
}

// each runs check for each element of the list called name, with the path of the element.
func each[T any](fs *findings, name string, list []T, check func(T)) {
	fs.within(name, func() {
		for i, v := range list {
			fs.within("["+strconv.Itoa(i)+"]", func() { check(v) })
		}
	})
}

// err joins the mistakes, nil if there are none.
func (fs *findings) err() error {
	errs := make([]error, len(fs.mistakes))
	for i, m := range fs.mistakes {
		text := m.Reason
		if m.Path != "" {
			text = m.Path + ": " + text
		}
		if m.Fix != "" {
			text += "; " + m.Fix
		}
		errs[i] = errors.New(text)
	}
	return errors.Join(errs...)
}

// outputError returns the mistakes as an [*OutputError] of the tool, nil if there are none.
func (fs *findings) outputError(tool string) error {
	if err := fs.err(); err != nil {
		return &OutputError{Tool: tool, Err: err}
	}
	return nil
}
