package envelope

import (
	"bytes"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// FindID returns the id of a request that [Message.Read] cannot read, as raw JSON, so that the error response can have
// that id. It returns nil if it does not find a valid id, if the id is repeated, or if the message is a response. Text
// may be anything, including a truncated message.
//
// FindID reads only the outermost object, in one pass, and skips values without validating them.
func FindID(text []byte) (id []byte) {
	f := finder{text: text}
	if f.skip(" \t\r\n"); !f.take('{') {
		return nil
	}
	for f.skip(" \t\r\n,"); f.take('"'); f.skip(" \t\r\n,") {
		name := f.string()
		if f.skip(" \t\r\n"); !f.take(':') {
			break
		}
		f.skip(" \t\r\n")
		value, ended := f.value()
		switch string(name) {
		case "id":
			if id != nil {
				return nil
			}
			if ended && ValidID(value) && rawjson.Valid(value, 1) == nil {
				id = value
			}
		case "result", "error":
			return nil
		}
	}
	return id
}

// finder reads text that may not be valid JSON.
type finder struct {
	text []byte
	at   int
}

// skip moves past the bytes in set.
func (f *finder) skip(set string) {
	for f.at < len(f.text) && bytes.IndexByte([]byte(set), f.text[f.at]) >= 0 {
		f.at++
	}
}

// take moves past c if it is the next byte, and reports whether it is.
func (f *finder) take(c byte) bool {
	if f.at < len(f.text) && f.text[f.at] == c {
		f.at++
		return true
	}
	return false
}

// string moves past the rest of a string whose opening quote was read. It returns the contents, not decoded, or nil if
// the string does not end.
func (f *finder) string() []byte {
	for start := f.at; f.at < len(f.text); f.at++ {
		switch f.text[f.at] {
		case '\\':
			f.at++
		case '"':
			f.at++
			return f.text[start : f.at-1]
		}
	}
	f.at = len(f.text)
	return nil
}

// value moves past a value and returns it. It reports false if the text ends before a delimiter follows the value,
// which may then be truncated.
func (f *finder) value() (value []byte, ended bool) {
	start, depth := f.at, 0
	for f.at < len(f.text) {
		switch c := f.text[f.at]; c {
		case '"':
			f.at++
			f.string()
			continue
		case '{', '[':
			depth++
		case '}', ']', ',':
			if depth == 0 {
				return bytes.TrimRight(f.text[start:f.at], " \t\r\n"), true
			}
			if c != ',' {
				depth--
			}
		}
		f.at++
	}
	return f.text[start:], false
}
