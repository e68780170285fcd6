package wire

import (
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Members calls fn for each member of raw, a valid JSON value, except for those that are null, because some clients
// send null for an absent member. It does nothing if raw is not an object.
func Members(raw []byte, fn func(name string, value []byte)) {
	Entries(raw, func(name string, value []byte) {
		if rawjson.KindOf(value) != rawjson.Null {
			fn(name, value)
		}
	})
}

// Entries calls fn for each member of raw, a valid JSON value, including those that are null. It is for maps, in which
// a null is a value. It does nothing if raw is not an object.
func Entries(raw []byte, fn func(name string, value []byte)) {
	if rawjson.KindOf(raw) != rawjson.Object {
		return
	}
	s := rawjson.New(raw, 0)
	s.OpenObject()
	for name, ok := s.Member(); ok; name, ok = s.Member() {
		text := string(name)
		fn(text, s.Value())
	}
}

// AppendText appends a member that is a string.
func AppendText(dst []byte, name, text string) []byte {
	return rawjson.AppendString(rawjson.AppendName(dst, name), text)
}

// AppendOptional appends a member that is a string, unless it is empty.
func AppendOptional(dst []byte, name, text string) []byte {
	if text == "" {
		return dst
	}
	return AppendText(dst, name, text)
}

// TextOf returns the text of raw if it is a JSON string, else "".
func TextOf(raw []byte) string {
	if rawjson.KindOf(raw) != rawjson.String {
		return ""
	}
	return string(rawjson.Unquote(raw))
}

// Elements returns the first elements of text, a JSON array, at most the number most. It validates the whole text,
// which may nest maxDepth deep.
func Elements(text []byte, maxDepth, most int) ([][]byte, error) {
	var items [][]byte
	s := rawjson.New(text, maxDepth)
	s.OpenArray()
	for s.Element() {
		if item := s.Value(); len(items) < most {
			items = append(items, item)
		}
	}
	s.End()
	return items, s.Err()
}
