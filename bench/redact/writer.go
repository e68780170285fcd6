package redact

import (
	"bytes"
	"io"
	"regexp"
	"sync"
)

// maxLine is how much of a line a Writer waits for, in bytes.
const maxLine = 64 << 10

// maxKey is how much of a private key a Writer waits for, in bytes, beginning with its first line. The largest keys in use,
// of RSA with 16384 bits, have 13 KiB.
const maxKey = 16 << 10

// A Writer writes lines without secrets. It holds a line back until it is complete, and a private key from its BEGIN line
// until its END line, so that no part of a secret passes. What begins like a key and has no END line within 16 KiB is
// hidden as one, and the lines after that are written again. It is safe for concurrent use.
type Writer struct {
	mu   sync.Mutex
	to   io.Writer
	text func(string) string
	held []byte // not written yet: an incomplete line, and before it the lines of an incomplete key
}

// NewWriter returns a Writer that writes to w what text returns of each line.
func NewWriter(w io.Writer, text func(string) string) *Writer { return &Writer{to: w, text: text} }

// Write writes the lines that p completes, and holds the rest of p back. The number of bytes is that of p, unless there is
// an error.
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

// Flush writes what is held back.
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

// incompleteKey returns where the line begins that begins a private key without an end, or -1 if there is none.
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
