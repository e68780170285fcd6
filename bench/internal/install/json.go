package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Formats of JSON files: with comments and trailing commas, and without.
var (
	commentedJSON = &format{name: "JSON", decode: decodeCommented, add: addJSON, replace: replaceJSON, remove: removeJSON, context: 3}
	plainJSON     = &format{name: "JSON", decode: decodePlain, add: addJSON, replace: replaceJSON, remove: removeJSON, context: 3}
)

func decodePlain(text []byte) (map[string]any, error) {
	tree, err := decodeCommented(text)
	if syntax := (*json.SyntaxError)(nil); err == nil && len(bytes.TrimSpace(text)) > 0 && errors.As(json.Unmarshal(text, new(any)), &syntax) {
		return nil, errorAt(text, int(syntax.Offset)-1, "the client reads JSON without comments and trailing commas: "+syntax.Error())
	}
	return tree, err
}

func decodeCommented(text []byte) (map[string]any, error) {
	value, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	if _, ok := value.Value.(*hujson.Object); !ok {
		return nil, errorAt(text, value.StartOffset, "the file should be an object")
	}
	value.Standardize()
	var tree map[string]any
	decoder := json.NewDecoder(bytes.NewReader(value.Pack()))
	decoder.UseNumber()
	return tree, decoder.Decode(&tree)
}

// parseJSON parses a file. A blank file is an empty object.
func parseJSON(text []byte) (hujson.Value, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}")
	}
	if err := jsonSyntax.checkNesting(text); err != nil {
		return hujson.Value{}, err
	}
	value, err := hujson.Parse(append(bytes.Clone(text), '\n')) // the parser requires a line break after a comment
	if err == nil {
		return value, nil
	}
	place := &PlaceError{Line: 1, Column: 1, Reason: strings.TrimPrefix(err.Error(), "hujson: ")}
	if _, scanned := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &place.Line, &place.Column); scanned == nil {
		_, place.Reason, _ = strings.Cut(place.Reason, ": ")
	}
	if place.Line > 1+bytes.Count(text, []byte("\n")) { // in the added line break
		return value, errorAt(text, len(text), place.Reason)
	}
	return value, place
}

// packed returns the file for a value of parseJSON.
func packed(value hujson.Value, text []byte) []byte {
	if len(bytes.TrimSpace(text)) == 0 {
		return value.Pack()
	}
	return bytes.TrimSuffix(value.Pack(), []byte("\n"))
}

// memberNamed returns the last member of an object with the given name, and its index; nil if there is none.
func memberNamed(v *hujson.Value, name string) (*hujson.Value, int) {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, -1
	}
	for i := len(object.Members) - 1; i >= 0; i-- {
		if label, ok := object.Members[i].Name.Value.(hujson.Literal); ok && label.String() == name {
			return &object.Members[i].Value, i
		}
	}
	return nil, -1
}

func addJSON(text []byte, container, name string, e entry) ([]byte, error) {
	value, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	s := styleOf(text)
	servers, _ := memberNamed(&value, container)
	switch {
	case servers == nil:
		err = s.add(&value, 1, container, entry{{name, e}})
	case servers.Value.Kind() == '{':
		err = s.add(servers, 2, name, e)
	default: // null
		var written hujson.Value
		written, err = s.value(1, entry{{name, e}})
		servers.Value = written.Value
	}
	return packed(value, text), err
}

func replaceJSON(text []byte, container, name string, e entry) ([]byte, error) {
	value, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	servers, _ := memberNamed(&value, container)
	old, _ := memberNamed(servers, name)
	written, err := styleOf(text).value(2, e)
	old.Value = written.Value
	return packed(value, text), err
}

// removeJSON removes an entry. Comments before it may belong to the member before it and stay.
func removeJSON(text []byte, container, name string) ([]byte, error) {
	value, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	servers, _ := memberNamed(&value, container)
	_, i := memberNamed(servers, name)
	object, _ := servers.Value.(*hujson.Object) // it has the entry
	gone := object.Members[i]
	object.Members = slices.Delete(object.Members, i, i+1)
	comments := bytes.TrimRight(gone.Name.BeforeExtra, " \t\r\n")
	after := &object.AfterExtra
	switch {
	case i < len(object.Members):
		after = &object.Members[i].Name.BeforeExtra
	case i > 0 && gone.Value.AfterExtra == nil: // no trailing comma
		last := &object.Members[i-1].Value
		comments = slices.Concat(last.AfterExtra, comments)
		last.AfterExtra = nil
	case i > 0 && object.Members[i-1].Value.AfterExtra == nil:
		object.Members[i-1].Value.AfterExtra = hujson.Extra{}
	}
	if *after = slices.Concat(comments, *after); len(object.Members) == 0 && len(bytes.TrimSpace(*after)) == 0 {
		*after = nil
	}
	return packed(value, text), nil
}

// A style is the indentation and the line ending of a file.
type style struct{ unit, newline string }

var indented = regexp.MustCompile(`(?m)^([ \t]+)"`)

// styleOf returns the style of a file. By default it is two blanks.
func styleOf(text []byte) style {
	s := style{unit: "  ", newline: string(withNewlines(text, []byte("\n")))}
	if first := indented.FindSubmatch(text); first != nil {
		s.unit = string(first[1])
	}
	return s
}

// value encodes the value of a member at a depth.
func (s style) value(depth int, v any) (hujson.Value, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(inline(v, ":")), strings.Repeat(s.unit, depth), s.unit); err != nil {
		return hujson.Value{}, err
	}
	return hujson.Parse(bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte(s.newline)))
}

// add appends a member to an object, whose members are at a depth, after all comments.
func (s style) add(to *hujson.Value, depth int, name string, v any) error {
	value, err := s.value(depth, v)
	if err != nil {
		return err
	}
	object, _ := to.Value.(*hujson.Object) // the caller has decoded it as one
	comments := bytes.TrimRight(object.AfterExtra, " \t\r\n")
	added := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)}, Value: value}
	added.Name.BeforeExtra = append(bytes.Clone(comments), s.newline+strings.Repeat(s.unit, depth)...)
	added.Value.BeforeExtra = hujson.Extra(" ")
	if n := len(object.Members); n > 0 && object.Members[n-1].Value.AfterExtra != nil {
		added.Value.AfterExtra = hujson.Extra{} // keeps the trailing comma
	}
	object.Members = append(object.Members, added)
	object.AfterExtra = hujson.Extra(s.newline + strings.Repeat(s.unit, depth-1))
	return nil
}
