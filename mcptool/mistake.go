package mcptool

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

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

// typeMistake notes a mistake in a Go type, or below a path in it.
func (fs *findings) typeMistake(t reflect.Type, path, reason, fix string) {
	fs.mistakes = append(fs.mistakes, Mistake{Type: t.String(), Path: path, Reason: reason, Fix: fix})
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

// brief formats a value for an error message.
func brief(value any) string {
	if rate, ok := value.(Rate); ok {
		return rate.inTag()
	}
	v := reflect.Indirect(reflect.ValueOf(value)) // settings that are nil by default are pointers
	switch v.Kind() {
	case reflect.String:
		return shorten(strconv.Quote(v.String()))
	case reflect.Struct: // may have a method for its pointer
	default:
		value = v.Interface()
	}
	return shorten(fmt.Sprintf("%+v", value))
}

// shorten cuts a text that is too long for one line.
func shorten(text string) string {
	const most = 80
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return text
}
