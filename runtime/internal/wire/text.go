package wire

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Cut returns text as valid UTF-8 of at most limit bytes; the end of what was cut is a
// mark, which always has room.
func Cut(text string, limit int) string {
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

// OneLine cuts text like [Cut] and puts it on one line.
func OneLine(text string, limit int) string {
	return strings.Join(strings.Fields(Cut(text, limit)), " ")
}

// JoinLines puts text on one line and keeps its lines apart.
func JoinLines(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.Join(lines, "; ")
}

// Quote quotes a word from outside for a message: short, and on one line.
func Quote(word string) string {
	const most = 64
	return strconv.Quote(Cut(word, most))
}
