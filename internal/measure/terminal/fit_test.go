package terminal_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 5, []string{""}},
		{"größe eins", 20, []string{"größe eins"}},
		{"größe eins", 5, []string{"größe", "eins"}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one  two", 4, []string{"one", "two"}},
		{"abcdefgh ij", 3, []string{"abc", "def", "gh", "ij"}},
		{"    ab", 3, []string{"   ", " ab"}},
		{"one two", 0, []string{"one two"}},
		{"天気 予報", 4, []string{"天気", "予報"}},
		{"天気予報", 5, []string{"天気", "予報"}},
		{"天気", 1, []string{"天", "気"}},
	} {
		if got := terminal.Wrap(test.text, test.width); !slices.Equal(got, test.want) {
			t.Errorf("%q in %d: %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

// No line exceeds the width, whatever it is, and no character of a cell is lost.
func TestFit(t *testing.T) {
	t.Parallel()
	rows := [][]string{
		{"NAME", "BYTES", "HINTS", "ARGUMENTS"},
		{"get_weather", "1200", "read-only, idempotent, closed world", "location: string, unit?: celsius|fahrenheit, month?: integer"},
		{"list_cities_of_a_country_and_its_neighbours", "7", "", "country?: string"},
		{"größe\x1b[31m", "30", "writes", strings.Repeat("x", 100)},
	}
	isNumber := func(i int) bool { return i == 1 }
	for _, width := range []int{30, 80} {
		if text := terminal.Fit(rows, width, isNumber); strings.Contains(text, "\x1b") {
			t.Errorf("in %d columns a cell steers the terminal:\n%q", width, text)
		}
	}
	rows[3][0] = "größe"
	for _, width := range []int{30, 40, 60, 80, 120, 200, 300} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			text := terminal.Fit(rows, width, isNumber)
			for line := range strings.Lines(text) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
					t.Errorf("%d characters: %q", n, line)
				}
			}
			for _, row := range rows[1:] {
				for r, n := range letters(strings.Join(row, "")) {
					if got := letters(text)[r]; got < n {
						t.Errorf("%d of %d %q are in\n%s", got, n, r, text)
					}
				}
			}
		})
	}
	const want = `get_weather
  BYTES      1200
  HINTS      read-only, idempotent,
             closed world
  ARGUMENTS  location: string, unit?:
             celsius|fahrenheit, month?:
             integer
`
	if got := terminal.Fit(rows[:2], 40, isNumber); got != want {
		t.Errorf("in 40:\n%swant\n%s", got, want)
	}
}

// letters counts the characters of a text by rune, except white space.
func letters(text string) map[rune]int {
	n := map[rune]int{}
	for _, r := range text {
		if r != ' ' && r != '\n' {
			n[r]++
		}
	}
	return n
}

// TestWidth checks that columns stay aligned with characters that are two columns wide, or zero.
func TestWidth(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "größe": 5, "天気": 4, "ﾃﾝ": 2, "Ａ": 2, "한국어": 6, "e\u0301": 1, "🚀": 2, "→…•": 3} {
		if got := terminal.Width(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	const want = "NAME     ARGUMENTS\n天気     x\nweather  y\ne\u0301        z\n"
	if got := terminal.Fit([][]string{{"NAME", "ARGUMENTS"}, {"天気", "x"}, {"weather", "y"}, {"e\u0301", "z"}}, 0, nil); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}
