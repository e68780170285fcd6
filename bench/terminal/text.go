// Package terminal prepares text for terminals: tables whose columns are aligned, lines that
// fit, and nothing of a server in it that would steer the terminal.
package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Table returns rows as lines, with the cells of a column below each other and two spaces
// between the columns. Columns of words stand to the left, those of numbers to the right;
// isNumber tells of a column, counted from 0, which it is, and nil means that all are words.
// A row may have fewer cells than others. What is in the cells is taken as it is, see
// [Printable].
func Table(rows [][]string, isNumber func(column int) bool) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i > 0 {
				line.WriteString("  ")
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

// Cut cuts the lines of text that are longer than width characters, and shows where. A width
// of 1 or less means that they may be of any length.
func Cut(text string, width int) string {
	if width <= 1 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if runes := []rune(line); len(runes) > width {
			lines[i] = string(runes[:width-1]) + "…"
		}
	}
	return strings.Join(lines, "\n")
}

// Printable returns text of which parts are a server's without what would steer a terminal or
// turn the direction of what follows: that is replaced by U+FFFD. Line breaks and tabs stay.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r):
			return unicode.ReplacementChar
		default:
			return r
		}
	}, text)
}

// OneLine is Printable on one line, with a space for whatever space is there.
func OneLine(text string) string { return strings.Join(strings.Fields(Printable(text)), " ") }
