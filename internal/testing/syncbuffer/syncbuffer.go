// Package syncbuffer has a buffer that tests read while a log or the output of a program is written to it.
package syncbuffer

import (
	"bytes"
	"sync"
)

// Buffer is a [bytes.Buffer] for concurrent use, with the methods that tests need. The zero value is empty and ready to
// use. It must not be copied after first use.
type Buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements [io.Writer].
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String returns all that was written.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
