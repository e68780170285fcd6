// Package terminal prepares text for terminals: tables whose columns are aligned, lines that
// fit, and nothing of a server in it that would steer the terminal. All that bench prints goes
// through a [Writer].
package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Table returns rows as lines, with the cells of a column below each other and two spaces
// between the columns. Columns of words stand to the left, those of numbers to the right;
// isNumber tells of a column, counted from 0, which it is, and nil means that all are words.
// A row may have fewer cells than others. Line breaks and tabs in a cell become spaces, and what
// would steer a terminal is replaced as by [Printable].
func Table(rows [][]string, isNumber func(column int) bool) string {
	return align(printableCells(rows), isNumber)
}

// align is Table of cells that are printable, each on one line.
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

// printableCells returns rows whose cells are printable, each on one line.
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

// Printable returns text of which parts are a server's without [Hidden] characters: each is replaced by U+FFFD, and so
// is what is not UTF-8. Line breaks and tabs stay; CR LF becomes LF.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if Hidden(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))
}

// Hidden reports whether a character is not shown itself but acts on a terminal, on the text around it, or on a model
// that reads it: a control character, a change of direction, a tag, a character without width. Line breaks and tabs are
// not, and neither are the joiners and the selectors of the looks of emoji, which belong to the writing of words.
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

// JSON returns a JSON text in which the characters that Printable replaces are escaped where they are in strings. Outside
// of strings only CR is possible among them, which is white space there and left out. So its value stays the same, but for
// bytes that are not UTF-8: those become U+FFFD, as in any reader.
func JSON(text []byte) []byte {
	var b bytes.Buffer
	inString, escaped := false, false // escaped: the character before was a backslash that begins an escape
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

// OneLine is Printable on one line, with a space for whatever space is there.
func OneLine(text string) string { return strings.Join(strings.Fields(Printable(text)), " ") }
