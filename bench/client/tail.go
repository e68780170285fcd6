package client

import (
	"io"
	"sync"
)

// tailSize is how much of a command's stderr is kept.
const tailSize = 4 << 10

// A tail passes on what is written to it, and keeps the end.
type tail struct {
	mu   sync.Mutex
	kept []byte
	to   io.Writer // nil: nowhere
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - tailSize; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	if t.to != nil {
		_, _ = t.to.Write(p) // a command need not end because nobody can see what it says
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}
