package wire

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Cut returns text, cut to at most limit bytes if it is longer, with a mark at its end that always has room. Invalid
// UTF-8 is replaced by U+FFFD, which may make the text longer than limit.
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

// JoinLines returns text on one line, with a separator between its lines.
func JoinLines(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.Join(lines, "; ")
}

// Quote quotes a word of a client for a message: short, and on one line.
func Quote(word string) string {
	const most = 64
	return strconv.Quote(Cut(word, most))
}
