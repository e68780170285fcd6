package runtime

import (
	"strings"
	"unicode/utf8"
)

// cut returns text as valid UTF-8 of at most limit bytes; the end of what was cut is a
// mark, which always has room.
func cut(text string, limit int) string {
	const mark = "…"
	if len(text) > limit {
		end := max(limit-len(mark), 0)
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + mark
	}
	return strings.ToValidUTF8(text, "\ufffd")
}
