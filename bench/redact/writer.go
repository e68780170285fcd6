package redact

import (
	"bytes"
	"io"
	"sync"
)

// maxLine is how much of a line a Writer waits for, in bytes.
const maxLine = 64 << 10

// A Writer writes lines without secrets. It keeps a line back until it has come to its end, so that no part of a secret
// passes. It is safe for concurrent use.
type Writer struct {
	mu   sync.Mutex
	to   io.Writer
	text func(string) string
	line []byte // that has not come to its end
}

// NewWriter returns a Writer that writes to w what text returns of each line.
func NewWriter(w io.Writer, text func(string) string) *Writer { return &Writer{to: w, text: text} }

// Write takes p, and writes what lines it ends.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.line = append(w.line, p...)
	end := bytes.LastIndexByte(w.line, '\n') + 1
	if end == 0 && len(w.line) > maxLine {
		end = len(w.line)
	}
	if err := w.put(w.line[:end]); err != nil {
		return 0, err
	}
	w.line = append(w.line[:0], w.line[end:]...)
	return len(p), nil
}

// Flush writes a line that has not come to its end.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.put(w.line)
	w.line = nil
	return err
}

func (w *Writer) put(lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	_, err := io.WriteString(w.to, w.text(string(lines)))
	return err
}
