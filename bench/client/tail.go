package client

import (
	"bytes"
	"io"
	"sync"
)

// tailSize is how much of a command's stderr is kept, in bytes: of its end, and of a report of a crash.
const tailSize = 4 << 10

// A tail passes on what is written to it, and keeps the end. If a program has written why it crashes, it
// keeps the beginning of that too, however much follows: a Go program may write thousands of stacks.
type tail struct {
	mu    sync.Mutex
	kept  []byte // the end
	total int    // bytes that were written
	line  []byte // the line that is not complete yet, or its first tailSize bytes
	start int    // where that line begins, in bytes that were written
	crash crash
	to    io.Writer // nil: nowhere
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for rest := p; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte("\n"))
		t.line = append(t.line, part[:min(len(part), tailSize-len(t.line))]...)
		t.total += len(part)
		if ended {
			t.total++
			t.crash.add(t.line, t.start)
			t.line, t.start = t.line[:0], t.total
		}
		rest = after
	}
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - tailSize; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	if t.to != nil {
		_, _ = t.to.Write(p) // a command need not end because nobody can see what it says
	}
	return len(p), nil
}

// String returns the end of what was written, or all from the report of a crash on, with gap where
// something is left out of it.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.crash
	if len(t.line) > 0 {
		c.head = bytes.Clone(c.head)
		c.add(t.line, t.start)
	}
	if c.head == nil {
		return string(t.kept)
	}
	before := t.total - len(t.kept) // bytes that are not in kept
	if c.start >= before {
		return string(t.kept[c.start-before:])
	}
	end := t.kept[min(len(t.kept), max(0, c.start+len(c.head)-before)):] // what is not in head
	if c.start+len(c.head) < before {
		_, end, _ = bytes.Cut(end, []byte("\n")) // the first line may be a part of one
		return string(c.head) + gap + "\n" + string(end)
	}
	return string(c.head) + string(end)
}
