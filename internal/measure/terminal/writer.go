package terminal

import (
	"io"
	"regexp"
	"strings"
	"sync"
)

// A Writer writes the [Printable] form of text to a terminal, file or pipe. It is safe for concurrent use. Output of
// [JSON] passes unchanged.
type Writer struct {
	mu sync.Mutex // guards to
	to io.Writer
}

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Write writes the printable form of p, which has complete characters. It returns len(p), unless there is an error.
func (w *Writer) Write(p []byte) (int, error) {
	if err := w.put(Printable(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
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
	return w.put(strings.TrimSuffix(b.String(), "\n"))
}

// Status replaces the current line of a terminal with text, on one line; "" clears it.
func (w *Writer) Status(text string) error { return w.put("\r\x1b[K" + OneLine(text)) }

func (w *Writer) put(text string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := io.WriteString(w.to, text)
	return err
}
