package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// A member is a member to be written. Its value is a string, a []string, a []member, a bool, or a decoded value of the
// file.
type member struct {
	name  string
	value any
}

// An entry is an object to be written, with its members in order.
type entry []member

// inline encodes a value as JSON, which is also valid YAML and, with another colon, TOML. Both formats accept the
// strings of JSON, except for some characters: the caller checks the result.
func inline(value any, colon string) string {
	var words []string
	switch value := value.(type) {
	case entry:
		for _, m := range value {
			words = append(words, inline(m.name, "")+colon+" "+inline(m.value, colon))
		}
		return "{" + strings.Join(words, ", ") + "}"
	case []string:
		for _, word := range value {
			words = append(words, inline(word, ""))
		}
		return "[" + strings.Join(words, ", ") + "]"
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // strings, booleans and decoded values can be encoded
	return string(bytes.TrimSpace(b.Bytes()))
}

// A format is a syntax of configuration files. Its functions do not see a byte order mark.
type format struct {
	name string
	// decode parses a file; the error is a *PlaceError.
	decode func(text []byte) (map[string]any, error)
	// add returns text with an entry added to a container. The caller checks the result.
	add func(text []byte, container, name string, e entry) ([]byte, error)
	// replace and remove change an existing entry; nil if bench cannot do that.
	replace func(text []byte, container, name string, e entry) ([]byte, error)
	remove  func(text []byte, container, name string) ([]byte, error)
	// context is the number of lines of a diff around a change. It is 0 if redact does not find secrets in the format.
	context int
}

// A PlaceError is an error at a location in a file.
type PlaceError struct {
	// Line and Column start at 1; columns are bytes.
	Line, Column int
	Reason       string
}

// Error returns line:column: reason.
func (e *PlaceError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Reason) }

// errorAt returns an error at an offset of a text.
func errorAt(text []byte, offset int, reason string) error {
	before := text[:min(max(offset, 0), len(text))]
	return &PlaceError{
		Line:   1 + bytes.Count(before, []byte("\n")),
		Column: len(before) - bytes.LastIndexByte(before, '\n'),
		Reason: reason,
	}
}

// withNewlines converts lines to the line endings of text.
func withNewlines(text, lines []byte) []byte {
	if bytes.Contains(text, []byte("\r\n")) {
		return bytes.ReplaceAll(lines, []byte("\n"), []byte("\r\n"))
	}
	return lines
}
