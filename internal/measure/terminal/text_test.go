package terminal_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

func TestTable(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"TOOL", "CALLS", "NOTE"}, {"größe", "7"}, {"x", "1200", "slow"}}
	for _, test := range []struct {
		name     string
		isNumber func(int) bool
		want     string
	}{
		{"words", nil, "TOOL   CALLS  NOTE\ngröße  7\nx      1200   slow\n"},
		{"a column of numbers", func(i int) bool { return i == 1 }, "TOOL   CALLS  NOTE\ngröße      7\nx       1200  slow\n"},
	} {
		if got := terminal.Fit(rows, 0, test.isNumber); got != test.want {
			t.Errorf("%s:\n%swant\n%s", test.name, got, test.want)
		}
	}
	if got := terminal.Fit(nil, 0, nil); got != "" {
		t.Errorf("a table of nothing is %q", got)
	}
}

func TestPrintable(t *testing.T) {
	t.Parallel()
	const hostile = "a\tb\n\x1b[31mred\u202eder\u2028end\u0085"
	if got, want := terminal.Printable(hostile), "a\tb\n\ufffd[31mred\ufffdder\ufffdend\ufffd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := terminal.OneLine(hostile), "a b \ufffd[31mred\ufffdder\ufffdend\ufffd"; got != want {
		t.Errorf("on one line %q, want %q", got, want)
	}
}

// Invisible characters are replaced, and in JSON escaped equivalently; those used to write words are kept.
func TestHidden(t *testing.T) {
	t.Parallel()
	for _, r := range []rune{0x9b, 0x202e, 0x2066, 0x200b, 0x2060, 0xfeff, 0xad, 0x3164, 0x115f, 0xe0000, 0xe0041, 0xe007f} {
		text := "a" + string(r) + "b"
		if got := terminal.Printable(text); got != "a\ufffdb" {
			t.Errorf("%U: %q", r, got)
		}
		escaped := terminal.JSON([]byte(`"` + text + `"`))
		var back string
		if err := json.Unmarshal(escaped, &back); err != nil || back != text || strings.ContainsRune(string(escaped), r) {
			t.Errorf("%U: %s, which is %q, %v", r, escaped, back, err)
		}
	}
	const words = "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 👩\u200d🚀 ❤\ufe0f größe"
	if got := terminal.Printable(words); got != words {
		t.Errorf("%q became %q", words, got)
	}
}
