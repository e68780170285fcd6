package terminal

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// gap is the number of spaces between two columns.
const gap = 2

// Fit formats rows as lines with aligned columns, separated by two spaces, of at most width columns if possible, without
// omitting anything. Columns are left-aligned, or right-aligned if isNumber returns true for the column, counted from 0;
// nil means that none is. Rows may have different lengths. Fit wraps cells between words. If the columns would become
// too narrow for that, it formats each row after the first as a block of lines, with the cells of the first row as
// labels. A width of 0 or less means no limit. Terminal control characters are replaced, see [Printable], and line breaks
// and tabs in cells become spaces.
func Fit(rows [][]string, width int, isNumber func(column int) bool) string {
	rows = printableCells(rows)
	natural := columnWidths(rows, Width)
	if width <= 0 || lineWidth(natural) <= width {
		return align(rows, isNumber)
	}
	least := columnWidths(rows, longestWord)
	if lineWidth(least) > width { // a name with a line break cannot be copied
		return blocks(rows, width)
	}
	for over := lineWidth(natural) - width; over > 0; over-- { // narrow the widest column that allows it
		widest := -1
		for i := range natural {
			if natural[i] > least[i] && (widest < 0 || natural[i] > natural[widest]) {
				widest = i
			}
		}
		natural[widest]--
	}
	var lines [][]string
	for _, row := range rows {
		lines = append(lines, wrapRow(row, natural)...)
	}
	return align(lines, isNumber)
}

// columnWidths returns the largest cell size of each column.
func columnWidths(rows [][]string, size func(string) int) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], size(cell))
		}
	}
	return widths
}

// lineWidth returns the width of a line with columns of these widths.
func lineWidth(widths []int) int {
	total := gap * max(0, len(widths)-1)
	for _, w := range widths {
		total += w
	}
	return total
}

func longestWord(text string) int {
	longest := 0
	for word := range strings.FieldsSeq(text) {
		longest = max(longest, Width(word))
	}
	return longest
}

// wrapRow wraps the cells of a row to the column widths and returns the resulting rows.
func wrapRow(row []string, widths []int) [][]string {
	var lines [][]string
	for i, cell := range row {
		for n, line := range Wrap(cell, widths[i]) {
			if n == len(lines) {
				lines = append(lines, make([]string, len(row)))
			}
			lines[n][i] = line
		}
	}
	return lines
}

// blocks formats each row after the first as a block of lines: its first cell, and each other non-empty cell after its
// label.
func blocks(rows [][]string, width int) string {
	const indent = 2
	labels := rows[0]
	label := slices.Max(columnWidths([][]string{labels}, Width))
	var b strings.Builder
	for _, row := range rows[1:] {
		for i, cell := range row {
			if i == 0 {
				b.WriteString(strings.Join(Wrap(cell, width), "\n") + "\n")
				continue
			}
			if cell == "" {
				continue
			}
			at := indent + label + gap
			for n, line := range Wrap(cell, max(width-at, 12)) {
				head := ""
				if n == 0 {
					head = strings.Repeat(" ", indent) + labels[i]
				}
				b.WriteString(head + strings.Repeat(" ", at-Width(head)) + line + "\n")
			}
		}
	}
	return b.String()
}

// Wrap breaks text into lines of at most width columns: at white space, which it drops there, and within words longer
// than a line. It keeps other white space. It returns at least one line. A width of 0 or less means no limit.
func Wrap(text string, width int) []string {
	var lines []string
	rest := []rune(text)
	for width > 0 {
		fits := fitting(rest, width)
		if fits == len(rest) {
			break
		}
		end := fits
		for end > 0 && rest[end] != ' ' {
			end--
		}
		if end == 0 || strings.TrimSpace(string(rest[:end])) == "" {
			lines, rest = append(lines, string(rest[:fits])), rest[fits:]
			continue
		}
		lines = append(lines, strings.TrimRight(string(rest[:end]), " "))
		rest = []rune(strings.TrimLeft(string(rest[end:]), " "))
	}
	return append(lines, string(rest))
}

// fitting returns the number of leading characters of text that fit into width; at least one unless text is empty.
func fitting(text []rune, width int) int {
	for i, r := range text {
		if width -= runeWidth(r); width < 0 && i > 0 {
			return i
		}
	}
	return len(text)
}

// Width returns the number of terminal columns of text: two for a wide East Asian character or an emoji, none for a
// combining mark.
func Width(text string) int {
	n := 0
	for _, r := range text {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}
