package process

import (
	"io"
	"sync"
)

// keptSize is the number of bytes kept to find the beginning of a crash report: a Go program may write hundreds of stacks.
const keptSize = 512 << 10

// A Tail forwards the output of a program and keeps the end. It may be used concurrently. The zero value forwards
// nothing.
type Tail struct {
	// To receives all output; nil discards it. Its errors are ignored.
	To io.Writer

	mu   sync.Mutex
	kept []byte
}

// Write keeps and forwards p. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - keptSize; over > keptSize {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	if t.To != nil {
		_, _ = t.To.Write(p) // a failing log must not stop the command
	}
	return len(p), nil
}

// String returns the end of the output in at most 10 lines: the last ones, or the cause of a crash and the last ones.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return lastWords(string(t.kept))
}
