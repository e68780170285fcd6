package redact

import (
	"bytes"
	"io"
	"regexp"
	"sync"
)

// maxLine is the maximum length of a buffered line, in bytes.
const maxLine = 64 << 10

// maxKey is the maximum length of a buffered private key, in bytes from its first line. The largest keys in use, RSA
// with 16384 bits, have 13 KiB.
const maxKey = 16 << 10

// A Writer writes lines without secrets. It buffers a line until it is complete, and a private key from its BEGIN line
// to its END line, so that no part of a secret passes. It hides a key without an END line within 16 KiB up to there,
// and writes the following lines again. It is safe for concurrent use.
type Writer struct {
	mu   sync.Mutex
	to   io.Writer
	text func(string) string
	held []byte // buffered: an incomplete line, preceded by the lines of an incomplete key
}

// NewWriter returns a Writer that applies text to each line and writes the result to w.
func NewWriter(w io.Writer, text func(string) string) *Writer { return &Writer{to: w, text: text} }

// Write writes the lines completed by p and buffers the rest. It returns len(p), unless there is an error.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = append(w.held, p...)
	end := bytes.LastIndexByte(w.held, '\n') + 1
	if end == 0 && len(w.held) > maxLine {
		end = len(w.held)
	}
	if key := incompleteKey(w.held[:end]); key >= 0 && len(w.held)-key <= maxKey {
		end = key
	}
	if err := w.put(w.held[:end]); err != nil {
		return 0, err
	}
	w.held = append(w.held[:0], w.held[end:]...)
	return len(p), nil
}

// Flush writes the buffered data.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.put(w.held)
	w.held = nil
	return err
}

var (
	keyBeginning = regexp.MustCompile(keyBegin)
	keyEnding    = regexp.MustCompile(keyEnd)
)

// incompleteKey returns the start of the line that begins a private key without an end, or -1.
func incompleteKey(text []byte) int {
	for from := 0; bytes.Contains(text[from:], []byte("PRIVATE KEY")); {
		begin := keyBeginning.FindIndex(text[from:])
		if begin == nil {
			return -1
		}
		end := keyEnding.FindIndex(text[from+begin[1]:])
		if end == nil {
			return bytes.LastIndexByte(text[:from+begin[0]], '\n') + 1
		}
		from += begin[1] + end[1]
	}
	return -1
}

func (w *Writer) put(lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	_, err := io.WriteString(w.to, w.text(string(lines)))
	return err
}
