package wire

import (
	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/internal/jsonwrite"
)

// Members calls fn with each member of raw, a valid JSON value, that is not null: a null stands for an absent
// member, since there are clients that write it for what they leave out. It does nothing when raw is not an object.
func Members(raw []byte, fn func(name string, value []byte)) {
	Entries(raw, func(name string, value []byte) {
		if jsonscan.KindOf(value) != jsonscan.Null {
			fn(name, value)
		}
	})
}

// Entries calls fn with each member of raw, a valid JSON value: in a map there is no absent member that a null could stand
// for. It does nothing when raw is not an object.
func Entries(raw []byte, fn func(name string, value []byte)) {
	if jsonscan.KindOf(raw) != jsonscan.Object {
		return
	}
	s := jsonscan.New(raw, 0)
	s.OpenObject()
	for name, ok := s.Member(); ok; name, ok = s.Member() {
		text := string(name)
		fn(text, s.Value())
	}
}

// Member returns the member of this name of raw, a valid JSON value; nil if there is none, or it is null.
func Member(raw []byte, name string) (value []byte) {
	Members(raw, func(found string, v []byte) {
		if found == name {
			value = v
		}
	})
	return value
}

// AppendText appends a member that is a string.
func AppendText(dst []byte, name, text string) []byte {
	return jsonwrite.String(jsonwrite.Name(dst, name), text)
}

// AppendOptional appends a member that is a string, unless it is empty.
func AppendOptional(dst []byte, name, text string) []byte {
	if text == "" {
		return dst
	}
	return AppendText(dst, name, text)
}

// AppendSanitized appends a member that is text of a tool, for models and people to read.
func AppendSanitized(dst []byte, name, text string) []byte {
	return jsonwrite.Text(jsonwrite.Name(dst, name), text)
}

// AppendSanitizedOptional appends a member that is text of a tool, unless it is empty.
func AppendSanitizedOptional(dst []byte, name, text string) []byte {
	if text == "" {
		return dst
	}
	return AppendSanitized(dst, name, text)
}

// TextOf returns the text of raw if it is a JSON string, else "".
func TextOf(raw []byte) string {
	if jsonscan.KindOf(raw) != jsonscan.String {
		return ""
	}
	return string(jsonscan.Unquote(raw))
}

// Elements returns the elements of text, a JSON array, but no more than most; all of
// text is validated.
func Elements(text []byte, maxDepth, most int) ([][]byte, error) {
	var items [][]byte
	s := jsonscan.New(text, maxDepth)
	s.OpenArray()
	for s.Element() {
		if item := s.Value(); len(items) < most {
			items = append(items, item)
		}
	}
	s.End()
	return items, s.Err()
}
