package wire

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Cut returns text with invalid UTF-8 replaced by U+FFFD. If the result is longer than limit, in bytes, it is cut to at
// most limit bytes, including a final "…". That is written even if limit is less than its 3 bytes.
func Cut(text string, limit int) string {
	const mark = "…"
	if !utf8.ValidString(text) { // ten times as fast as ToValidUTF8
		text = strings.ToValidUTF8(text, "\ufffd")
	}
	if len(text) <= limit {
		return text
	}
	end := max(limit-len(mark), 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}

// OneLine cuts text like [Cut] and replaces each run of white space by a space.
func OneLine(text string, limit int) string {
	return strings.Join(strings.Fields(Cut(text, limit)), " ")
}

// JoinLines returns the lines of text that are not empty, separated by "; ".
func JoinLines(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}

// Quote returns a text from a client as a Go string literal, for a message. It is cut to 64 bytes.
func Quote(word string) string {
	const most = 64
	return strconv.Quote(Cut(word, most))
}
