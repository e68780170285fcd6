package envelope

import (
	"bytes"

	"github.com/mcptool-go/mcptool/internal/jsonscan"
)

// FindID returns the id of a request that [Message.Read] refuses, as raw JSON, so that the error can be sent to whoever
// waits for the answer; nil if there is none that can be told. Text may be of any kind, and cut off at the end.
//
// Only the outermost object is looked at, in one pass, and values are skipped without being checked. A response has no
// id to be answered under, and neither has a message with two.
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
			if ended && ValidID(value) && isStrict(value) {
				id = value
			}
		case "result", "error":
			return nil
		}
	}
	return id
}

// isStrict reports whether value is JSON that [Message.Read] takes.
func isStrict(value []byte) bool {
	s := jsonscan.New(value, 1)
	s.Value()
	s.End()
	return s.Err() == nil
}

// finder reads text that may be no JSON.
type finder struct {
	text []byte
	at   int
}

// skip goes past the bytes in set.
func (f *finder) skip(set string) {
	for f.at < len(f.text) && bytes.IndexByte([]byte(set), f.text[f.at]) >= 0 {
		f.at++
	}
}

// take goes past c if it comes next.
func (f *finder) take(c byte) bool {
	if f.at < len(f.text) && f.text[f.at] == c {
		f.at++
		return true
	}
	return false
}

// string goes past the rest of a string, and returns what is in it.
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

// value goes past a value, and reports whether it has an end before that of the text.
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
