package client

import (
	"bytes"
	"io"
	"sync"
)

// tailSize is the number of bytes kept of the end of a command's stderr, and of a crash report.
const tailSize = 4 << 10

// A tail forwards writes and keeps the end of the output. It also keeps the beginning of a crash report, regardless of
// the output after it: a Go program may write thousands of stacks.
type tail struct {
	mu    sync.Mutex
	kept  []byte // the end
	total int    // bytes written
	line  []byte // the incomplete last line, or its first tailSize bytes
	start int    // offset of that line in the output
	crash crash
	to    io.Writer // nil to discard
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
		_, _ = t.to.Write(p) // a failing log must not stop the command
	}
	return len(p), nil
}

// String returns the end of the output, or all from the crash report on, with gap for omitted lines.
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
	before := t.total - len(t.kept) // bytes not in kept
	if c.start >= before {
		return string(t.kept[c.start-before:])
	}
	end := t.kept[min(len(t.kept), max(0, c.start+len(c.head)-before)):] // the part not in head
	if c.start+len(c.head) < before {
		_, end, _ = bytes.Cut(end, []byte("\n")) // the first line may be incomplete
		return string(c.head) + gap + "\n" + string(end)
	}
	return string(c.head) + string(end)
}
