package terminal_test

import (
	"testing"

	"github.com/mcptool-go/mcptool/bench/terminal"
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
		if got := terminal.Table(rows, test.isNumber); got != test.want {
			t.Errorf("%s:\n%swant\n%s", test.name, got, test.want)
		}
	}
	if got := terminal.Table(nil, nil); got != "" {
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
