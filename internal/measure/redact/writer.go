package redact

import (
	"bytes"
	"io"
	"regexp"
	"sync"
)

// maxHeld is the maximum length of buffered text, in bytes: an incomplete line or an incomplete private key. The
// largest keys in use, RSA with 16384 bits, have 13 KiB.
const maxHeld = 16 << 10

var (
	keyFirst = regexp.MustCompile(keyBegin)
	keyLast  = regexp.MustCompile(keyEnd)
)

// A Writer writes lines without secrets. It buffers a line until it is complete, and a private key until its last line,
// so that no part of a secret passes. It is safe for concurrent use.
type Writer struct {
	mu   sync.Mutex
	to   io.Writer
	text func(string) string
	held []byte
}

// NewWriter returns a Writer that applies text to each line and writes the result to w.
func NewWriter(w io.Writer, text func(string) string) *Writer { return &Writer{to: w, text: text} }

// Write writes the lines completed by p and buffers the rest. It returns len(p), unless there is an error.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = append(w.held, p...)
	end := bytes.LastIndexByte(w.held, '\n') + 1
	if end == 0 && len(w.held) > maxHeld {
		end = len(w.held)
	}
	if begun := keyFirst.FindAllIndex(w.held[:end], -1); begun != nil && len(w.held) <= maxHeld {
		if last := begun[len(begun)-1]; !keyLast.Match(w.held[last[1]:end]) {
			end = bytes.LastIndexByte(w.held[:last[0]], '\n') + 1
		}
	}
	err := w.put(w.held[:end])
	w.held = append(w.held[:0], w.held[end:]...)
	return len(p), err
}

// Flush writes the buffered data.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.put(w.held)
	w.held = nil
	return err
}

func (w *Writer) put(lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	_, err := io.WriteString(w.to, w.text(string(lines)))
	return err
}
