package rawjson_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

var terminalTests = []struct{ name, text, want string }{
	{"no sequence", "a [0m b", "a [0m b"},
	{"colours", "\x1b[1;31mFAIL\x1b[0m ok", "FAIL ok"},
	{"true colour with colons", "\x1b[38:2::255:0:0mred\x1b[m", "red"},
	{"private and intermediate characters", "\x1b[?25la\x1b[>4;2mb\x1b[0 qc\x1b[!pd", "abcd"},
	{"title", "\x1b]0;build\x07done", "done"},
	{"title that ends with ST", "\x1b]2;build\x1b\\done", "done"},
	{"hyperlink", "see \x1b]8;id=1;https://example.com/a\x1b\\the log\x1b]8;;\x1b\\.", "see the log."},
	{"other control strings", "a\x1bPq#0\x1b\\b\x1bXx\x1b\\c\x1b^x\x1b\\d\x1b_Gf=100;AAAA\x1b\\e", "abcde"},
	{"control string that is cancelled", "a\x1bPq\x18b\x1b]0\x1ac", "abc"},
	{"two characters", "\x1b7a\x1b8b\x1bcc\x1b=d", "abcd"},
	{"character sets", "\x1b(Ba\x1b)0b\x1b%Gc\x1b#8d", "abcd"},
	{"C1", "\u009b31ma\u009d0;t\u009cb\u0090q\x1b\\c\u009c", "abc"},
	{"C1 that begins no sequence", "a\u0085b\u00a0", "a\u0085b\u00a0"},
	{"sequence without an end", "a\x1b[1;3", "a"},
	{"sequence that a letter of another script ends", "a\x1b[1;é", "aé"},
	{"sequence that a line break ends", "a\x1b[1\nb\x1b\nc", "a\nb\nc"},
	{"title without an end", "a\x1b]0;build", "a"},
	{"title that the line ends", "a\x1b]0;build\nb", "a\nb"},
	{"title that another sequence ends", "a\x1b]0;build\x1b[1mb", "ab"},
	{"ESC at the end", "a\x1b", "a"},
	{"ESC twice", "a\x1b\x1b[1mb", "ab"},
	{"sequence in a sequence", "a\x1b\x1b[0m[31mb", "a[31mb"},
	{"bytes that a sequence separates", "\xc2\x1b[0m\x9b31m\xe2\x1b[0m\x80\xae", "\ufffd\ufffd31m\ufffd\ufffd\ufffd"},
	{"invalid UTF-8 without a sequence", "a\xff", "a\xff"},
	{"progress", "get\n 10%\r 50%\r100%\ndone", "get\n100%\ndone"},
	{"progress with an erased line", "10%\r\x1b[K50%\r\x1b[Kdone\n", "done\n"},
	{"progress that ends with \\r", "10%\r100%\r", "100%"},
	{"progress at the end of a Windows line", "10%\r100%\r\ndone\r\n", "100%\r\ndone\r\n"},
	{"line ends of a terminal", "a\r\r\nb\r\n", "a\r\nb\r\n"},
	{"empty lines", "\r\n\r\n\n", "\r\n\r\n\n"},
	{"\\r and nothing else", "\r\r", ""},
}

func TestStripTerminal(t *testing.T) {
	t.Parallel()
	for _, test := range terminalTests {
		if got := rawjson.StripTerminal(test.text); got != test.want {
			t.Errorf("%s: StripTerminal(%q) = %q, want %q", test.name, test.text, got, test.want)
		}
	}
}

var (
	sequence  = regexp.MustCompile(`(?:\x1b\[|\x{9b})[0-?]*[ -/]*[@-~]?|(?:\x1b[\]PX^_]|[\x{90}\x{98}\x{9d}-\x{9f}])[^\x07\x18\x1a\x1b\r\n\x{9c}]*(?:[\x07\x18\x1a\x{9c}]|\x1b\\)?|\x1b[ -/]*[0-~]?|\x{9c}`)
	toTheLeft = regexp.MustCompile(`[\x{590}-\x{8ff}\x{fb1d}-\x{fdff}\x{fe70}-\x{fefe}\x{10800}-\x{10fff}\x{1e800}-\x{1efff}]`)
	letter    = regexp.MustCompile(`\pL`)
)

// slowStrip implements the documentation of StripTerminal with regular expressions.
func slowStrip(text string) string {
	text = sequence.ReplaceAllString(rawjson.ValidUTF8(text), "")
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		end := ""
		if body, ok := strings.CutSuffix(line, "\r\n"); ok {
			line, end = body, "\r\n"
		} else if body, ok := strings.CutSuffix(line, "\n"); ok {
			line, end = body, "\n"
		}
		line = strings.TrimRight(line, "\r")
		lines[i] = line[strings.LastIndexByte(line, '\r')+1:] + end
	}
	return strings.Join(lines, "")
}

// TestCleanTextAllocations tests that text without terminal sequences is not copied.
func TestCleanTextAllocations(t *testing.T) {
	text := strings.Repeat("A line, « with » a tab\tand \"quotes\".\r\n", 1000)
	dst := make([]byte, 0, 2*len(text))
	if n := testing.AllocsPerRun(10, func() { dst = rawjson.AppendText(dst[:0], text) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// TestHostileTextTime tests that the time for hostile text is linear: a MiB takes a few milliseconds, and would take
// minutes if the time were quadratic.
func TestHostileTextTime(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	for _, part := range []string{"\x1b", "\x1b[", "\x1b]", "\x1b[1;", "\x1b(", "\u009d", "\r", "a\r", "\r\n", "\xc2", "\x1b]\xc2", "\u200f", "א\u200f", "a\u2067"} {
		begin := time.Now()
		out := rawjson.AppendText(nil, strings.Repeat(part, size/len(part)))
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("%d bytes of %q took %s", size, part, took)
		}
		if len(out) > 3*size+2 {
			t.Errorf("%d bytes of %q became %d", size, part, len(out))
		}
	}
}
