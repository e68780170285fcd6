package terminal

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// gap is what stands between two columns.
const gap = 2

// Fit returns rows as [Table] does, in lines of at most width columns where that is possible, without
// leaving anything out: cells are wrapped between words, and where the columns would become too narrow for
// that, each row after the first is a block of lines, of which the cells of the first row are the labels. A width of 0 or
// less means that lines may be of any length. What would steer a terminal is replaced, see [Printable], and line
// breaks in cells become spaces.
func Fit(rows [][]string, width int, isNumber func(column int) bool) string {
	rows = printableCells(rows)
	natural := columnWidths(rows, Width)
	if width <= 0 || lineWidth(natural) <= width {
		return align(rows, isNumber)
	}
	least := columnWidths(rows, longestWord)
	if lineWidth(least) > width { // a name that is broken cannot be copied
		return blocks(rows, width)
	}
	for over := lineWidth(natural) - width; over > 0; over-- { // from the widest column that can give
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

// columnWidths returns the largest size of the cells of each column.
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

// lineWidth returns how wide a line of columns of these widths is.
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

// wrapRow returns the rows that a row becomes when its cells are wrapped to the widths of their columns.
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

// blocks returns each row but the first as a block of lines: its first cell, and each other one that is not
// empty behind its label.
func blocks(rows [][]string, width int) string {
	if len(rows) == 0 {
		return ""
	}
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

// Wrap breaks text into lines of at most width columns: at white space, which is left out there, and within words that are
// longer than a line. White space elsewhere stays as it is. It returns at least one line. A width of 0 or less means that
// the text is one line.
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

// fitting returns how many characters at the beginning of text fit into a width, at least one if there are any.
func fitting(text []rune, width int) int {
	for i, r := range text {
		if width -= runeWidth(r); width < 0 && i > 0 {
			return i
		}
	}
	return len(text)
}

// Width returns how many columns of a terminal a text takes: two for a wide character of East Asia and for an emoji, none
// for a mark that combines with the character before it.
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
