package stdio

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/internal/testing/hang"
)

const tooLong = "<" + "too long" + ">"

// readAll returns every line of src, with tooLong in place of each line over
// the limit, and the final error.
func readAll(src io.Reader, limit int) ([]string, error) {
	var lines []string
	r := newSource(context.Background(), src, limit, func(error, []byte) { lines = append(lines, tooLong) })
	for {
		line, err := r.Next()
		if err != nil {
			return lines, err
		}
		lines = append(lines, string(line))
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200_000)
	tests := []struct {
		name, in, reason string
		limit            int
		want             []string
	}{
		{"two", "a\nb\n", "the plain case", 10, []string{"a", "b"}},
		{"empty", "", "a client may send nothing", 10, nil},
		{"no last newline", "a\nb", "printf '%s' '{…}' | server must work", 10, []string{"a", "b"}},
		{"crlf", "a\r\nb\r\n", "Windows shells", 10, []string{"a", "b"}},
		{"cr inside", "a\rb\n", "JSON allows a carriage return between tokens", 10, []string{"a\rb"}},
		{"blank", "\n\r\n  \t\na\n\n", "blank lines are skipped", 10, []string{"a"}},
		{"blank at the end", "a\n  ", "also without a newline", 10, []string{"a"}},
		{"BOM", "\xef\xbb\xbfa\n", "PowerShell pipes start with a BOM", 10, []string{"a"}},
		{"BOM alone", "\xef\xbb\xbf", "an empty file written by an editor", 10, nil},
		{"BOM later", "a\n\xef\xbb\xbfb\n", "a BOM is only special at the start", 10, []string{"a", "\xef\xbb\xbfb"}},
		{"partial BOM", "\xef\xbb\nb\n", "passed on for the session to reject", 10, []string{"\xef\xbb", "b"}},
		{"at the limit", "1234\n1234\n", "the limit is inclusive", 4, []string{"1234", "1234"}},
		{"at the limit, crlf", "1234\r\n1\n", "the line end does not count", 4, []string{"1234", "1"}},
		{"at the limit, at the end", "1234", "no newline needed", 4, []string{"1234"}},
		{"over the limit", "12345\n1\n", "the next line works", 4, []string{tooLong, "1"}},
		{"over, crlf", "12345\r\n1\n", "one byte over", 4, []string{tooLong, "1"}},
		{"far over", long + "\n1\n", "skipped in chunks", 4, []string{tooLong, "1"}},
		{"over twice", long + "\n" + long + "\n1\n", "each is reported", 4, []string{tooLong, tooLong, "1"}},
		{"over at the end", "1\n" + long, "reported without a newline", 4, []string{"1", tooLong}},
		{"long", long + "\n1\n" + long + "\n", "lines may exceed 64 KiB", 1 << 20, []string{long, "1", long}},
		{"long at the limit", long + "\n1\n", "the buffer grows up to the limit", len(long), []string{long, "1"}},
		{"long over the limit", long + "y\n1\n", "one byte over", len(long), []string{tooLong, "1"}},
		{"no limit", "a\nb", "a limit of math.MaxInt works", math.MaxInt, []string{"a", "b"}},
		{"nul", "a\x00b\n", "the session validates bytes", 10, []string{"a\x00b"}},
	}
	sources := map[string]func(io.Reader) io.Reader{
		"whole":        func(r io.Reader) io.Reader { return r },
		"half":         iotest.HalfReader,
		"byte by byte": iotest.OneByteReader,
		"error early":  iotest.DataErrReader,
	}
	for _, test := range tests {
		for name, source := range sources {
			t.Run(test.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				got, err := readAll(source(strings.NewReader(test.in)), test.limit)
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("%s: (-want +got)\n%s", test.reason, diff)
				}
				if !errors.Is(err, io.EOF) {
					t.Errorf("ended with %v, want EOF", err)
				}
			})
		}
	}
}

func TestLinesBeforeAnError(t *testing.T) {
	t.Parallel()
	broken := errors.New("cable pulled")
	got, err := readAll(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), 10)
	if diff := cmp.Diff([]string{"a", "b"}, got); diff != "" || !errors.Is(err, broken) {
		t.Errorf("ended with %v; lines (-want +got)\n%s", err, diff)
	}
}

// idle is an invalid Reader: it always returns 0, nil.
type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestLinesOfAReaderThatReturnsNothing(t *testing.T) {
	t.Parallel()
	if _, err := readAll(idle{}, 10); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v, want io.ErrNoProgress", err)
	}
}

// TestMemoryIsGivenBack checks that the buffer of a huge line is released
// later.
func TestMemoryIsGivenBack(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("x", 4*keepLine)
	small := strings.Repeat("some message\n", keepLine)
	r := newSource(t.Context(), iotest.HalfReader(strings.NewReader(huge+"\n"+small+"half")), 8*keepLine, nil)
	for range keepLine + 1 {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if cap(r.line) > keepLine {
		t.Errorf("the line buffer has %d bytes, want at most %d", cap(r.line), keepLine)
	}
}

// FuzzLines compares the reader with splitting all of the input at once.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\r\n\n12345\n\xef\xbb\xbf"), 4, uint8(3))
	f.Add([]byte("\xef\xbb\xbfa\n"), 1, uint8(1))
	f.Add([]byte("\r\n \r\n123456"), 5, uint8(200))
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, in []byte, limit int, step uint8) {
		defer watch()()
		limit = 1 + int(uint(limit)%64)
		var want []string
		for line := range bytes.SplitSeq(bytes.TrimPrefix(in, utf8BOM), []byte("\n")) {
			line = bytes.TrimSuffix(line, []byte("\r"))
			switch {
			case len(line) > limit:
				want = append(want, tooLong)
			case len(bytes.Trim(line, " \t\r")) > 0:
				want = append(want, string(line))
			}
		}
		got, err := readAll(&stepReader{in, 1 + int(step)}, limit)
		if diff := cmp.Diff(want, got); diff != "" || !errors.Is(err, io.EOF) {
			t.Errorf("ended with %v; lines (-want +got)\n%s", err, diff)
		}
	})
}

// stepReader returns at most step bytes at a time.
type stepReader struct {
	rest []byte
	step int
}

func (r *stepReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.rest[:min(r.step, len(r.rest))])
	r.rest = r.rest[n:]
	return n, nil
}

// TestSourceRules checks that the source meets the rules of [engine.Source].
func TestSourceRules(t *testing.T) {
	t.Parallel()
	enginetest.TestSource(t, func(_ testing.TB, in io.Reader, limit int, session engine.Session) engine.Source {
		return newSource(t.Context(), in, limit, session.Reject)
	})
}
