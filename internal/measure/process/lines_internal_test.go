package process

import (
	"bufio"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// TestSplitLines compares splitLines with bufio.ScanLines, for input that arrives in pieces.
func TestSplitLines(t *testing.T) {
	t.Parallel()
	scan := func(in io.Reader, split bufio.SplitFunc) (all []string) {
		s := bufio.NewScanner(in)
		s.Buffer(make([]byte, 0, 4), 100)
		s.Split(split)
		for s.Scan() {
			all = append(all, s.Text())
		}
		return all
	}
	for _, text := range []string{"", "\n", "\r\n", "a", "a\n", "a\nb", "a\r\n\r\nb\r", "\n\na\n\n", "a\rb\nc", strings.Repeat("long line ", 5) + "\nshort\n" + strings.Repeat("x", 60)} {
		for name, in := range map[string]func() io.Reader{
			"at once": func() io.Reader { return strings.NewReader(text) },
			"bytes":   func() io.Reader { return iotest.OneByteReader(strings.NewReader(text)) },
			"halves":  func() io.Reader { return iotest.HalfReader(strings.NewReader(text)) },
			"the end": func() io.Reader { return iotest.DataErrReader(strings.NewReader(text)) },
		} {
			if got, want := scan(in(), splitLines(true)), scan(in(), bufio.ScanLines); !slices.Equal(got, want) {
				t.Errorf("%q, %s: the lines are %q, want %q", text, name, got, want)
			}
			complete := text[:strings.LastIndexByte(text, '\n')+1]
			if got, want := scan(in(), splitLines(false)), scan(strings.NewReader(complete), bufio.ScanLines); !slices.Equal(got, want) {
				t.Errorf("%q, %s: the complete lines are %q, want %q", text, name, got, want)
			}
		}
	}
}
