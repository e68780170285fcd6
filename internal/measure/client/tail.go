package client

import (
	"io"
	"sync"
)

// keptSize is the number of bytes kept to find the beginning of a crash report: a Go program may write hundreds of stacks.
const keptSize = 512 << 10

// A tail forwards writes and keeps the end of the output.
type tail struct {
	mu   sync.Mutex
	kept []byte
	to   io.Writer // nil to discard
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - keptSize; over > keptSize {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	if t.to != nil {
		_, _ = t.to.Write(p) // a failing log must not stop the command
	}
	return len(p), nil
}

// String returns the end of the output, see lastWords.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return lastWords(string(t.kept))
}
