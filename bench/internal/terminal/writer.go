package terminal

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Writer writes the [Printable] form of text to a terminal, file or pipe. It is safe for concurrent use, also by
// writers from [Writer.Stream]. Output of [JSON] passes unchanged.
type Writer struct {
	mu      *sync.Mutex // guards to
	to      io.Writer
	partial []byte // beginning of an incomplete character
}

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer) *Writer { return &Writer{mu: new(sync.Mutex), to: w} }

// Stream returns a Writer to the same destination for a separate byte stream: a character split between writes is
// joined within its stream.
func (w *Writer) Stream() *Writer { return &Writer{mu: w.mu, to: w.to} }

// Write writes the printable form of p. It returns len(p), unless there is an error.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := append(w.partial, p...)
	keep := unfinished(text)
	w.partial = append([]byte(nil), text[len(text)-keep:]...)
	if err := w.put(string(text[:len(text)-keep])); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes an incomplete character.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := string(w.partial)
	w.partial = nil
	return w.put(text)
}

// A Style is the appearance of text on a terminal: a parameter of the escape sequence SGR.
type Style string

// Styles.
const (
	Bold   Style = "1"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
	Cyan   Style = "36"
)

// A Rule gives the match of a pattern in a line a style.
type Rule struct {
	Pattern *regexp.Regexp
	Style   Style
}

// WriteColored writes the printable form of text to a terminal. In each line, the first rule that matches applies.
func (w *Writer) WriteColored(text string, rules []Rule) error {
	var b strings.Builder
	for line := range strings.SplitSeq(Printable(text), "\n") {
		for _, rule := range rules {
			if at := rule.Pattern.FindStringIndex(line); at != nil {
				line = line[:at[0]] + "\x1b[" + string(rule.Style) + "m" + line[at[0]:at[1]] + "\x1b[0m" + line[at[1]:]
				break
			}
		}
		b.WriteString(line + "\n")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := io.WriteString(w.to, strings.TrimSuffix(b.String(), "\n"))
	return err
}

// Status replaces the current line of a terminal with text, on one line; "" clears it.
func (w *Writer) Status(text string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := io.WriteString(w.to, "\r\x1b[K"+OneLine(text))
	return err
}

func (w *Writer) put(text string) error {
	if text == "" {
		return nil
	}
	_, err := io.WriteString(w.to, Printable(text))
	return err
}

// unfinished returns the number of trailing bytes that start an incomplete character or line break.
func unfinished(text []byte) int {
	if bytes.HasSuffix(text, []byte("\r")) {
		return 1
	}
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}
