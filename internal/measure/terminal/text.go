// Package terminal formats text for terminals: it aligns tables, fits lines to a width, and removes control characters
// in server text. All output of bench goes through a [Writer].
package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// align is [Fit] without a limit, for printable cells without line breaks.
func align(cells [][]string, isNumber func(column int) bool) string {
	widths := columnWidths(cells, Width)
	var b strings.Builder
	for _, row := range cells {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-Width(cell))
			if i > 0 {
				line.WriteString(strings.Repeat(" ", gap))
			}
			if isNumber != nil && isNumber(i) {
				line.WriteString(pad + cell)
			} else {
				line.WriteString(cell + pad)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

var toSpace = strings.NewReplacer("\n", " ", "\t", " ")

// printableCells makes all cells printable, each on one line.
func printableCells(rows [][]string) [][]string {
	clean := make([][]string, len(rows))
	for i, row := range rows {
		clean[i] = make([]string, len(row))
		for j, cell := range row {
			clean[i][j] = toSpace.Replace(Printable(cell))
		}
	}
	return clean
}

// Printable replaces [Hidden] characters and invalid UTF-8 in text with U+FFFD. It keeps line breaks and tabs; CR LF
// becomes LF.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if Hidden(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))
}

// Hidden reports whether a character is invisible but affects a terminal, the text around it, or a model that reads it:
// a control character, a change of direction, a tag, a character without width. Line breaks and tabs are not hidden,
// nor are joiners and emoji variation selectors, which are part of normal text.
func Hidden(r rune) bool {
	switch r {
	case '\n', '\t', '\u200c', '\u200d', '\ufe0e', '\ufe0f':
		return false
	case '\u2028', '\u2029', '\u115f', '\u1160', '\u3164', '\uffa0':
		return true
	default:
		return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Variation_Selector) || r >= 0xE0000 && r <= 0xE0FFF
	}
}

// JSON escapes the characters that Printable replaces in the strings of JSON text. Outside strings only CR is possible,
// as white space, and is dropped. So the value stays the same, except that invalid UTF-8 becomes U+FFFD, as in any
// decoder.
func JSON(text []byte) []byte {
	var b bytes.Buffer
	inString, escaped := false, false // escaped: after a backslash that starts an escape
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '\r' && !inString:
		case r == utf8.RuneError && size == 1:
			b.WriteString(`\ufffd`)
		case Hidden(r):
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		default:
			b.Write(text[:size])
		}
		if r == '"' && !escaped {
			inString = !inString
		}
		escaped = r == '\\' && inString && !escaped
		text = text[size:]
	}
	return b.Bytes()
}

// Shorten truncates longer text to a number of characters, the last of which is an ellipsis.
func Shorten(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// ShortenLines applies Shorten to each line of text.
func ShortenLines(text string, most int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Shorten(line, most)
	}
	return strings.Join(lines, "\n")
}

// OneLine is Printable on one line, with each run of white space replaced by a space.
func OneLine(text string) string { return strings.Join(strings.Fields(Printable(text)), " ") }
