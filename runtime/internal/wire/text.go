package wire

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Cut returns text with U+FFFD in the place of bytes that are not UTF-8. If that is longer than limit, in bytes, it is cut to
// at most limit, with a mark at its end; the mark is there even if limit is less than its 3 bytes.
func Cut(text string, limit int) string {
	const mark = "…"
	if !utf8.ValidString(text) { // which takes a tenth of making it valid
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

// OneLine cuts text like [Cut] and puts it on one line.
func OneLine(text string, limit int) string {
	return strings.Join(strings.Fields(Cut(text, limit)), " ")
}

// JoinLines returns text on one line, with a separator between its lines.
func JoinLines(text string) string {
	var joined strings.Builder
	joined.Grow(len(text) + 8)
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r", "\n"), "\n") {
		if line == "" {
			continue
		}
		if joined.Len() > 0 {
			joined.WriteString("; ")
		}
		joined.WriteString(line)
	}
	return joined.String()
}

// Quote quotes a word of a client for a message: short, and on one line.
func Quote(word string) string {
	const most = 64
	return strconv.Quote(Cut(word, most))
}
