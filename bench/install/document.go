package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

const (
	// maxSize is the maximum size of a file, in bytes. Claude Code keeps other data in its file, but far less than
	// this.
	maxSize = 64 << 20
	// maxDepth is the maximum nesting depth: the parser is recursive.
	maxDepth = 10_000
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// A document is a configuration as a tree that preserves every byte.
type document struct {
	text  []byte // original text, without the byte order mark
	bom   bool
	value hujson.Value
}

// A PlaceError is an error at a location in a file.
type PlaceError struct {
	// Line and Column start at 1; columns are bytes.
	Line, Column int
	Reason       string
}

// Error returns line:column: reason.
func (e *PlaceError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Reason) }

// parse parses a file. Blank input is an empty object. plain rejects comments and trailing commas.
func parse(data []byte, plain bool) (*document, error) {
	d := &document{}
	d.text, d.bom = bytes.CutPrefix(data, byteOrderMark)
	if len(bytes.TrimSpace(d.text)) == 0 {
		d.text = append([]byte("{}"), d.text...)
		if len(d.text) == len("{}") {
			d.text = append(d.text, '\n')
		}
	}
	if at := tooDeep(d.text); at >= 0 {
		return nil, d.errorAt(at, fmt.Sprintf("values are nested deeper than %d", maxDepth))
	}
	// The parser requires a line break after a comment.
	value, err := hujson.Parse(append(bytes.Clone(d.text), '\n'))
	if err != nil {
		return nil, d.syntaxError(err)
	}
	d.value = value
	if syntax := (*json.SyntaxError)(nil); plain && errors.As(json.Unmarshal(d.text, new(json.RawMessage)), &syntax) {
		return nil, d.errorAt(int(syntax.Offset)-1, "the client reads JSON without comments and trailing commas: "+syntax.Error())
	}
	return d, nil
}

// bytes returns the edited file.
func (d *document) bytes() []byte {
	packed := bytes.TrimSuffix(d.value.Pack(), []byte("\n"))
	if d.bom {
		return append(bytes.Clone(byteOrderMark), packed...)
	}
	return packed
}

// syntaxError extracts the location from a parser error, which has it only in the text.
func (d *document) syntaxError(err error) error {
	e := &PlaceError{Line: 1, Column: 1, Reason: strings.TrimPrefix(err.Error(), "hujson: ")}
	if _, scanned := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &e.Line, &e.Column); scanned == nil {
		if _, reason, ok := strings.Cut(e.Reason, ": "); ok {
			e.Reason = reason
		}
	}
	if lines := 1 + bytes.Count(d.text, []byte("\n")); e.Line > lines { // in the appended line break
		return d.errorAt(len(d.text), e.Reason)
	}
	return e
}

// errorAt returns an error at an offset of the text.
func (d *document) errorAt(offset int, reason string) error {
	before := d.text[:min(max(offset, 0), len(d.text))]
	return &PlaceError{
		Line:   1 + bytes.Count(before, []byte("\n")),
		Column: len(before) - bytes.LastIndexByte(before, '\n'),
		Reason: reason,
	}
}

// tooDeep returns the offset of the first value nested too deeply, or -1.
func tooDeep(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			if depth++; depth > maxDepth {
				return i
			}
		case '}', ']':
			depth--
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			i += max(commentLength(text[i:])-1, 0)
		}
	}
	return -1
}

// commentLength returns the length of the comment at the start of text, or 0. An unterminated comment extends to the
// end.
func commentLength(text []byte) int {
	for _, c := range []struct{ begin, end string }{{"//", "\n"}, {"/*", "*/"}} {
		if !bytes.HasPrefix(text, []byte(c.begin)) {
			continue
		}
		if i := bytes.Index(text[len(c.begin):], []byte(c.end)); i >= 0 {
			return len(c.begin) + i + len(c.end)
		}
		return len(text)
	}
	return 0
}

// root returns the root object of the document.
func (d *document) root() (*hujson.Object, error) {
	object, ok := d.value.Value.(*hujson.Object)
	if !ok {
		return nil, d.errorAt(d.value.StartOffset, "this is "+kindOf(d.value)+", and should be an object")
	}
	return object, nil
}

// lookup returns a member, or nil if there is none. Duplicates are an error.
func (d *document) lookup(object *hujson.Object, name string) (*hujson.ObjectMember, error) {
	var found *hujson.ObjectMember
	for i := range object.Members {
		m := &object.Members[i]
		if label, ok := m.Name.Value.(hujson.Literal); !ok || label.String() != name {
			continue
		}
		if found != nil {
			return nil, d.errorAt(m.Name.StartOffset, fmt.Sprintf("this is the second member %q of the same object; remove one of them", name))
		}
		found = m
	}
	return found, nil
}

// servers returns the object with the servers and its member in the root; nil if there is none.
func (d *document) servers(container string) (*hujson.Object, *hujson.ObjectMember, error) {
	root, err := d.root()
	if err != nil {
		return nil, nil, err
	}
	m, err := d.lookup(root, container)
	if m == nil || err != nil {
		return nil, nil, err
	}
	object, ok := m.Value.Value.(*hujson.Object)
	if !ok {
		return nil, nil, d.errorAt(m.Value.StartOffset, fmt.Sprintf("%q is %s, and should be an object with the servers", container, kindOf(m.Value)))
	}
	return object, m, nil
}

// kindOf describes the kind of a value.
func kindOf(v hujson.Value) string {
	return map[hujson.Kind]string{'n': "null", 't': "true", 'f': "false", '"': "a string", '0': "a number", '[': "an array", '{': "an object"}[v.Value.Kind()]
}

// same reports whether two values are semantically equal.
func same(a, b hujson.Value) bool {
	return bytes.Equal(meaning(a), meaning(b))
}

// meaning returns the canonical form of a value.
func meaning(v hujson.Value) []byte {
	v = v.Clone()
	v.Minimize()
	var decoded any
	decoder := json.NewDecoder(bytes.NewReader(v.Pack()))
	decoder.UseNumber()
	if decoder.Decode(&decoded) != nil {
		return v.Pack() // cannot happen: it was parsed
	}
	text, err := json.Marshal(decoded) // sorts members
	if err != nil {
		return v.Pack() // cannot happen: it was decoded
	}
	return text
}
