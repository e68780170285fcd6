package jsonquery

import (
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// isVisible reports whether a server sends a character of a text as it is. It replaces those that can hide text.
func isVisible(r rune) bool {
	return r < unicode.MaxASCII || r > unicode.MaxASCII && rawjson.IsHarmless(utf8.AppendRune(nil, r))
}

// visible returns JSON with escapes for characters that are not visible.
func visible(answer []byte) []byte {
	var dst []byte
	begin := 0 // of what is not in dst
	for i, r := range string(answer) {
		if isVisible(r) {
			continue
		}
		dst = append(dst, answer[begin:i]...)
		for _, unit := range utf16.AppendRune(nil, r) {
			const digits = "0123456789abcdef"
			dst = append(dst, '\\', 'u', digits[unit>>12], digits[unit>>8&0xf], digits[unit>>4&0xf], digits[unit&0xf])
		}
		begin = i + utf8.RuneLen(r)
	}
	return append(dst, answer[begin:]...)
}

// sentSize returns the size of a part of the answer as sent: as a JSON string, with escapes. If it is larger than the answer
// may be, the size can be too small.
func (q *query) sentSize(part []byte) int {
	size := rawjson.QuotedSize(part)
	if size > q.budget {
		return size
	}
	for _, r := range string(part) {
		if !isVisible(r) {
			size += utf16.RuneLen(r)*len(`\\u0000`) - utf8.RuneLen(r)
		}
	}
	return size
}
